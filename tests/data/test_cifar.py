"""Images of CIFAR against the bytes that were written."""

import shutil

import numpy as np
import pytest
from oracles import slope

from scaletx.data import data_set, denoising, lambda_max, read_cifar, require_size

LUMA = np.array([0.299, 0.587, 0.114])


def pixels(written, names):
    records = np.vstack([written[name] for name in names])
    return records[:, -3072:].reshape(-1, 3, 32, 32).astype(float)


def averaged(images, n):
    """Block by block."""
    step = 32 // n
    out = np.empty((*images.shape[:-2], n, n))
    for i in range(n):
        for j in range(n):
            block = images[..., i * step : (i + 1) * step, j * step : (j + 1) * step]
            out[..., i, j] = block.mean(axis=(-2, -1))
    return out


def same_rows(a, b, atol=1e-4):
    a, b = (x[np.lexsort(np.round(x, 3).T)] for x in (a, b))
    np.testing.assert_allclose(a, b, atol=atol)


@pytest.mark.parametrize("n", [4, 32])
@pytest.mark.parametrize("kind", ["cifar10", "cifar100"])
@pytest.mark.parametrize("color", [False, True])
def test_samples_are_the_images_averaged_and_standardized(cifar, kind, color, n):
    """All images are asked for: they come in the seed's order, so rows are sorted."""
    parent, written = cifar
    training, held_out = {
        "cifar10": ([f"data_batch_{i}.bin" for i in range(1, 6)], ["test_batch.bin"]),
        "cifar100": (["train.bin"], ["test.bin"]),
    }[kind]
    raw = [averaged(pixels(written, names), n) for names in (training, held_out)]
    if not color:
        raw = [np.einsum("c,pcij->pij", LUMA, x) for x in raw]
    axis = (0, 2, 3) if color else None
    mean, std = (f(raw[0], axis=axis, keepdims=True) for f in (np.mean, np.std))
    data = data_set(f"{kind}:{parent}:{'color' if color else 'gray'}")
    for test, images in enumerate(raw):
        expected = ((images - mean) / std).reshape(len(images), -1)
        N, P = expected.shape[1], data.holds[test]
        same_rows(data.clean(N, P, seed=0, test=bool(test)), expected)


def test_the_same_images_at_every_size_and_in_gray_and_color(cifar):
    parent, _ = cifar
    gray = data_set(f"cifar10:{parent}")
    fine, coarse = (gray.clean(N, 10, seed=1, test=True) for N in (1024, 64))
    small = averaged(fine.reshape(10, 32, 32), 8).reshape(10, 64)
    factor, offset = np.polyfit(small.ravel(), coarse.ravel(), 1)
    np.testing.assert_allclose(coarse, factor * small + offset, atol=1e-4)
    color = data_set(f"cifar10:{parent}:color").clean(3072, 10, seed=1, test=True)
    # Gray is linear in the channels, each standardized on its own.
    design = np.column_stack([*np.split(color, 3, axis=1), np.ones((10, 1024))])
    design = np.stack([c.ravel() for c in np.split(design, 4, axis=1)], axis=1)
    weights, residual, *_ = np.linalg.lstsq(design, fine.ravel(), rcond=None)
    assert residual[0] < 1e-4
    np.testing.assert_allclose(weights[:3] / weights[:3].sum(), LUMA, atol=0.01)


def test_each_channel_of_the_training_images_has_deviation_one(cifar):
    parent, _ = cifar
    color = data_set(f"cifar10:{parent}:color").clean(192, 15, seed=1, test=False)
    for channel in np.split(color.astype(float), 3, axis=1):
        assert abs(channel.mean()) < 1e-6 and abs(channel.std() - 1) < 1e-6


def test_images_of_one_color_are_not_divided_by_zero(cifar):
    parent, written = cifar
    for name, records in written.items():
        records[:, -3072:] = 7
        records.tofile(next(parent.glob(f"*/{name}")))
    samples = data_set(f"cifar10:{parent}").clean(16, 5, seed=0, test=True)
    np.testing.assert_array_equal(samples, 0)


def test_the_identity_is_of_the_content_and_not_of_the_place(cifar, tmp_path):
    parent, _ = cifar
    moved = tmp_path / "elsewhere"
    shutil.copytree(parent / "cifar-10-batches-bin", moved)
    before = data_set(f"cifar10:{parent}").identity()
    assert data_set(f"cifar10:{moved}").identity() == before
    assert data_set(f"cifar10:{parent}:color").identity() == before.replace(
        "gray", "color"
    )
    with (moved / "test_batch.bin").open("r+b") as file:
        file.seek(100)
        byte = file.read(1)[0]
        file.seek(100)
        file.write(bytes([byte ^ 1]))
    assert data_set(f"cifar10:{moved}").identity() != before


@pytest.mark.slow
def test_real_images(real_cifar):
    name = f"cifar10:{real_cifar}"
    images, labels = read_cifar(real_cifar)
    assert images.shape == (50_000, 3, 32, 32)
    assert np.bincount(labels).tolist() == [5000] * 10
    # Published means of the three channels: .4914, .4822, .4465.
    means = images.mean(axis=(0, 2, 3)) / 255
    np.testing.assert_allclose(means, (0.4914, 0.4822, 0.4465), atol=0.002)
    assert data_set(name).holds == (50_000, 10_000)
    with pytest.raises(ValueError, match="P=10001: it has 50,000 training and 10,000"):
        require_size(name, 64, 10_001)
    sizes = (16, 64, 256)
    tops = []
    for N in sizes:
        task = denoising(data_set(name), N=N, P=5 * N, seed=0, noise=0.5)
        tops.append(lambda_max(np.tanh(task.inputs)))
    assert slope(sizes, tops) == pytest.approx(0.88, abs=0.1)
