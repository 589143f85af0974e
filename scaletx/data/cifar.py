"""Images of CIFAR-10 and CIFAR-100 at many resolutions."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from scaletx.data.cifar_layout import SIDE, find, layout_of
from scaletx.data.cifar_reader import read
from scaletx.data.denoising import Samples, stream
from scaletx.data.files import digest
from scaletx.data.images import LUMA, area_averaged, first, standardized

RESOLUTIONS = (1, 2, 4, 8, 16, SIDE)


@dataclass(frozen=True, kw_only=True)
class Cifar:
    r"""Images of CIFAR-10 or CIFAR-100 from the official binary files.

    Area-averaged to n x n with n = 1, 2, 4, 8, 16, 32. Gray (the luma of ITU-R BT.601)
    has N = n^2; color has N = 3 n^2, the red, the green and the blue plane. The seed
    orders the images of the training files, and those of the held-out file: the first P
    are the same images at every size. Both are standardized by the mean and standard
    deviation over all pixels of the P training images (all there are, if fewer); color,
    each channel by its own.

    Files are found when samples or their number are asked for, not before.

    Attributes:
        name: `cifar10` or `cifar100`.
        folder: The folder with the files, or the one above it.
        color: Keep the three channels.

    References:
        Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009.
    """

    name: str
    folder: str
    color: bool = False

    @property
    def label(self) -> str:
        """Name and channels, without the folder."""
        return f"{self.name}:{'color' if self.color else 'gray'}"

    @property
    def sizes(self) -> tuple[int, ...]:
        """N of each resolution."""
        return tuple((3 if self.color else 1) * n * n for n in RESOLUTIONS)

    @property
    def holds(self) -> tuple[int, int]:
        """Images in the files, by their size: 50,000 and 10,000 in the official ones.

        Raises:
            ValueError: If a file is missing or torn.
        """
        files = find(layout_of(self.name), self.folder)
        training, held_out = (sum(f.count for f in part) for part in files)
        return training, held_out

    def identity(self) -> str:
        """The digest of all files is part of it.

        Raises:
            ValueError: If a file is missing or torn.
        """
        files = find(layout_of(self.name), self.folder)
        return f"{self.label}:{digest(f.path for part in files for f in part)}"

    def clean(self, N: int, P: int, *, seed: int, test: bool) -> Samples:
        """Return P standardized images of N numbers.

        Raises:
            ValueError: If a file is missing, torn or mislabeled, or has fewer images.
        """
        fitted = min(P, self.holds[0]) if test else P
        training = self._images(N, fitted, seed=seed, test=False)
        wanted = self._images(N, P, seed=seed, test=True) if test else training
        axis = (0, 2, 3) if self.color else None
        return standardized(wanted, training, axis=axis).reshape(P, N)

    def _images(
        self, N: int, P: int, *, seed: int, test: bool
    ) -> Float[np.ndarray, "P channels n n"]:
        layout = layout_of(self.name)
        files = find(layout, self.folder)
        part = files.held_out if test else files.training
        order = stream(seed, int(test)).permutation(sum(file.count for file in part))
        what = f"{'held-out' if test else 'training'} images in `{files.root}`"
        images, _ = read(layout, part, first(order, P, what=what))
        channels = 3 if self.color else 1
        if not self.color:
            planes = (images[:, i] * LUMA[i] for i in range(3))
            images = np.add.reduce(list(planes))[:, None]
        return area_averaged(images, int((N // channels) ** 0.5))


def from_argument(name: str, argument: str) -> Cifar:
    """Read `FOLDER`, `FOLDER:gray` or `FOLDER:color`.

    Raises:
        ValueError: If the folder is empty, or what follows its last `:` is no option.
    """
    folder, colon, channels = argument.rpartition(":")
    if not colon:
        folder, channels = argument, "gray"
    if not folder:
        raise ValueError("it names no folder")
    if channels not in ("gray", "color"):
        raise ValueError(f"{channels!r} is neither gray nor color")
    return Cifar(name=name, folder=folder, color=channels == "color")
