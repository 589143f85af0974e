"""Data sets, each at many sizes."""

from scaletx.data.cifar_reader import LabeledImages, read_cifar
from scaletx.data.denoising import DataSet, Denoising, denoising, lambda_max, stream
from scaletx.data.fetching import fetch
from scaletx.data.words import DATA_SETS, data_set, require_size

__all__ = [
    # Data sets by name
    "DATA_SETS",
    "DataSet",
    "data_set",
    "require_size",
    # Tasks made of them
    "Denoising",
    "denoising",
    "lambda_max",
    "stream",
    # Labeled images
    "LabeledImages",
    "fetch",
    "read_cifar",
]
