"""Images read at other places."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, task

FAMILY = {
    "category": "SpatialOps",
    "kerneleval": "elementwise",
    "level": "K2",
    "difficulty": "medium",
}
AXES = {
    "images": {"own": 4, "high": 16, "role": "batch"},
    "channels": {"own": 8, "low": 4, "high": 32, "multiple_of": 4},
    "height": {"own": 32, "low": 2, "high": 128},
    "width": {"own": 32, "low": 2, "high": 128},
}


@task(library=True)
def interpolate(x: Float["images channels height width"]) -> Tensor:
    """Twice the size, bilinear."""
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


@task(library=True, level="K1", difficulty="easy")
def upsample_nearest(x: Float["images channels height width"]) -> Tensor:
    """Each element as two by two."""
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


@task(library=True, difficulty="hard")
def grid_sample(
    x: Float["images channels height width"], grid: Float["images height width 2", "signed unit"]
) -> Tensor:
    """Bilinear values at the places that the grid gives, zero outside."""
    return F.grid_sample(x, grid, align_corners=False)


@task(difficulty="hard")
def grid_sample_with_affine(
    x: Float["images channels height width"], theta: Float["images 2 3", "signed unit"]
) -> Tensor:
    """Bilinear values at the places of an affine grid."""
    grid = F.affine_grid(theta, list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, align_corners=False)


@task(library=True, level="K1", difficulty="easy")
def pixel_shuffle(x: Float["images channels height width"]) -> Tensor:
    """Four channels as two by two places of one."""
    return F.pixel_shuffle(x, 2)


@task()
def gradient_magnitude(x: Float["images channels height width"]) -> Tensor:
    """The root of one plus the squares of the differences to the next row and column."""
    down = x[..., 1:, :-1] - x[..., :-1, :-1]
    right = x[..., :-1, 1:] - x[..., :-1, :-1]
    return torch.sqrt(1 + down.square() + right.square())
