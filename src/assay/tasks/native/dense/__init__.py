"""Dense linear algebra: products, BLAS, factorisations, quantised products."""
