"""What sets of images share: gray, area averages, standardization, choice."""

import numpy as np
from jaxtyping import Float, Int, Num

LUMA = np.array([0.299, 0.587, 0.114], np.float32)
"""Weights of red, green and blue in the luma of ITU-R BT.601."""


def area_averaged(
    images: Num[np.ndarray, "... side side"], n: int
) -> Float[np.ndarray, "... n n"]:
    """Average square blocks of pixels; n divides the side.

    Example:
        >>> area_averaged(np.arange(16.0).reshape(4, 4), 2)
        array([[ 2.5,  4.5],
               [10.5, 12.5]])
    """
    *lead, side, _ = images.shape
    blocks = images.reshape(*lead, n, side // n, n, side // n)
    return blocks.mean(axis=(-3, -1), dtype=np.result_type(images, np.float32))


def standardized(
    wanted: Float[np.ndarray, "..."],
    training: Float[np.ndarray, "..."],
    *,
    axis: tuple[int, ...] | None = None,
) -> Float[np.ndarray, "..."]:
    """Subtract the mean of the training pixels and divide by their deviation.

    Args:
        wanted: Images to standardize.
        training: Images that say how.
        axis: Axes over which the pixels are pooled; all if None.

    Returns:
        float32, of the shape of `wanted`. Where all training pixels are the same, only
        the mean is subtracted.
    """
    mean = training.mean(axis, dtype=np.float64, keepdims=True)
    scale = training.std(axis, dtype=np.float64, keepdims=True)
    return ((wanted - mean) / np.where(scale > 0, scale, 1)).astype(np.float32)


def first(order: Int[np.ndarray, " images"], P: int, *, what: str) -> np.ndarray:
    """Take the first P of images in an order drawn by seed: none comes twice.

    Raises:
        ValueError: If there are fewer; `what` says of what.
    """
    if P > len(order):
        raise ValueError(f"P={P}: there are {len(order):,} {what}, and none repeats.")
    return order[:P]
