from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
CIFAR10 = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
CIFAR100 = ["train.bin", "test.bin"]


def write_cifar(parent, *, train=20, test=24, seed=0):
    """Both sets in the official layout, of random pixels; all bytes are returned."""
    rng = np.random.default_rng(seed)
    written = {}
    for folder, names, classes in (
        ("cifar-10-batches-bin", CIFAR10, (10,)),
        ("cifar-100-binary", CIFAR100, (20, 100)),
    ):
        (parent / folder).mkdir(parents=True)
        for name in names:
            each = train // (len(names) - 1)
            count = test if name == names[-1] else each
            labels = rng.integers(classes, size=(count, len(classes)))
            pixels = rng.integers(256, size=(count, 3072))
            records = np.hstack([labels, pixels]).astype(np.uint8)
            records.tofile(parent / folder / name)
            written[name] = records
    return written


@pytest.fixture(scope="session")
def cifar_parent(tmp_path_factory):
    """Enough images for the contract: 450 for training and 430 held out."""
    parent = tmp_path_factory.mktemp("cifar")
    write_cifar(parent, train=450, test=430)
    return parent


@pytest.fixture
def cifar(tmp_path):
    """A folder of few images that a test may damage, and its bytes by file."""
    return tmp_path, write_cifar(tmp_path)


@pytest.fixture(scope="session")
def real_cifar(tmp_path_factory):
    """The real images, unpacked from their JPEGs."""
    import subprocess
    import sys

    if not (SHARED / "cifar10_jpeg.npz").is_file():
        pytest.skip(f"the real images are not here: {SHARED / 'cifar10_jpeg.npz'}")
    folder = tmp_path_factory.mktemp("real")
    script = SHARED / "unpack_cifar10.py"
    subprocess.run([sys.executable, script, folder], check=True, capture_output=True)
    return folder
