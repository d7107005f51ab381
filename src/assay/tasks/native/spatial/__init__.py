"""Convolution, pooling and resampling of images and signals."""
