"""The official binary layout: reading it, and saying what is wrong with it."""

import re

import numpy as np
import pytest

from scaletx.data import data_set, read_cifar
from scaletx.data.files import _digest, digest


@pytest.mark.parametrize("below", ["", "cifar-10-batches-bin"])
def test_reads_what_was_written(cifar, below):
    parent, written = cifar
    names = [f"data_batch_{i}.bin" for i in range(1, 6)]
    for test, parts in ((False, names), (True, ["test_batch.bin"])):
        images, labels = read_cifar(parent / below, test=test)
        records = np.vstack([written[name] for name in parts])
        assert images.dtype == np.uint8 and labels.dtype == np.int32
        np.testing.assert_array_equal(images.reshape(len(records), -1), records[:, 1:])
        np.testing.assert_array_equal(labels, records[:, 0])
        images[:] = 0  # the caller's own


def test_planes_and_rows_lie_as_the_archive_says(cifar):
    parent, written = cifar
    images, _ = read_cifar(parent)
    record = written["data_batch_1.bin"][0]
    assert images[0, 1, 2, 3] == record[1 + 1024 + 2 * 32 + 3]


def test_cifar_100_has_two_labels(cifar):
    parent, written = cifar
    for coarse, byte in ((True, 0), (False, 1)):
        images, labels = read_cifar(parent, "cifar100", coarse=coarse)
        np.testing.assert_array_equal(labels, written["train.bin"][:, byte])
    np.testing.assert_array_equal(images.reshape(20, -1), written["train.bin"][:, 2:])


def test_wrong_words(cifar):
    with pytest.raises(ValueError, match="name='cifar'.*Did you mean 'cifar10'"):
        read_cifar(cifar[0], "cifar")
    with pytest.raises(ValueError, match="no superclasses; use 'cifar100'"):
        read_cifar(cifar[0], coarse=True)


def uses(parent):
    """Ways to come upon a broken file."""
    data = data_set(f"cifar10:{parent}")
    return (
        lambda: read_cifar(parent),
        lambda: data.holds,
        data.identity,
        lambda: data.clean(64, 5, seed=0, test=False),
    )


def expect(parent, message):
    for use in uses(parent):
        with pytest.raises(ValueError, match=message) as caught:
            use()
        assert "\n" not in str(caught.value)


def test_an_empty_folder_says_what_to_put_there(tmp_path):
    expect(
        tmp_path,
        f"`{re.escape(str(tmp_path))}` holds no binary files of CIFAR-10 such as "
        "data_batch_1.bin: unpack cifar-10-binary.tar.gz .*cs.toronto.edu",
    )


def test_missing_files_are_named(cifar):
    parent, _ = cifar
    for name in ("data_batch_3.bin", "test_batch.bin"):
        (parent / "cifar-10-batches-bin" / name).unlink()
    expect(parent, "lacks data_batch_3.bin, test_batch.bin of CIFAR-10: expected")


@pytest.mark.parametrize("name", ["data_batch_2.bin", "test_batch.bin"])
@pytest.mark.parametrize("size", [0, 1000, 3073 * 3 + 1])
def test_torn_files_are_named(cifar, name, size):
    parent, _ = cifar
    path = parent / "cifar-10-batches-bin" / name
    path.write_bytes(path.read_bytes()[:size])
    expect(parent, f"{name}` is torn .*has {size:,} bytes, expected .* of 3,073")


def test_a_file_cut_between_records_is_found_by_its_neighbors(cifar):
    parent, _ = cifar
    path = parent / "cifar-10-batches-bin" / "data_batch_4.bin"
    path.write_bytes(path.read_bytes()[: 3073 * 3])
    expect(parent, "data_batch_4.bin` is truncated: it has 3 images, expected 4")


def test_the_other_set_under_the_same_names_is_no_such_file(cifar):
    parent, written = cifar
    written["train.bin"].tofile(parent / "cifar-10-batches-bin" / "test_batch.bin")
    expect(parent, "test_batch.bin` is torn or no binary file of CIFAR-10")


def test_wrong_labels_are_named(cifar):
    parent, written = cifar
    records = written["data_batch_5.bin"]
    records[2, 0] = 10
    records.tofile(parent / "cifar-10-batches-bin" / "data_batch_5.bin")
    said = "data_batch_5.bin` is damaged .*label byte 0 of image 2 is 10, expected 0 to"
    for read in (
        lambda: read_cifar(parent),
        lambda: data_set(f"cifar10:{parent}").clean(64, 20, seed=0, test=False),
    ):
        with pytest.raises(ValueError, match=f"{said} 9"):
            read()


def test_a_pickle_is_not_looked_at(tmp_path):
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    (folder / "data_batch_1").write_bytes(b"never read")
    expect(tmp_path, "the binary version")


def test_files_are_hashed_once_and_again_when_they_change(tmp_path):
    import hashlib
    import os

    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"one")
    b.write_bytes(b"two")
    expected = hashlib.sha256(b"onetwo").hexdigest()[:16]
    assert digest([a, b]) == expected
    misses = _digest.cache_info().misses
    assert digest([a, b]) == expected
    assert _digest.cache_info().misses == misses
    a.write_bytes(b"ONE")
    os.utime(a, ns=(1, 1))
    assert digest([a, b]) == hashlib.sha256(b"ONEtwo").hexdigest()[:16]
