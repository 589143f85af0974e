"""Downloads, with pooch's retriever replaced: there is no network in a test."""

import sys
import tarfile

import numpy as np
import pytest

from scaletx.data import data_set, fetch, read_cifar

KINDS = [
    ("cifar10", "cifar-10-batches-bin", "cifar-10-binary.tar.gz"),
    ("cifar100", "cifar-100-binary", "cifar-100-binary.tar.gz"),
]


@pytest.fixture
def retrieve(monkeypatch, cifar_parent):
    """A retriever that packs the tiny folders, and the calls it got."""
    pooch = pytest.importorskip("pooch")
    calls = []

    def retrieved(*, url, known_hash, fname, path):
        calls.append((url, known_hash))
        path.mkdir(parents=True, exist_ok=True)
        folder = dict((a, f) for _, f, a in KINDS)[fname]
        with tarfile.open(path / fname, "w:gz") as tar:
            tar.add(cifar_parent / folder, folder)
        return str(path / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieved)
    return calls


@pytest.mark.parametrize("name, folder, archive", KINDS)
def test_fetches_once_by_checksum_and_unpacks(
    tmp_path, retrieve, cifar_parent, name, folder, archive
):
    target = tmp_path / "new" / "data"
    for _ in range(2):
        assert fetch(name, target) == target / folder
    (call,) = retrieve
    assert call[0] == f"https://www.cs.toronto.edu/~kriz/{archive}"
    assert call[1].startswith("md5:") and len(call[1]) == 36
    for got, there in zip(
        read_cifar(target, name), read_cifar(cifar_parent, name), strict=True
    ):
        np.testing.assert_array_equal(got, there)
    assert data_set(f"{name}:{target}").holds == (450, 430)
    assert not list(target.rglob("*.part"))


@pytest.mark.parametrize("inside", [False, True])
def test_a_torn_folder_is_fetched_again(tmp_path, retrieve, inside):
    torn = tmp_path / "cifar-10-batches-bin"
    torn.mkdir()
    (torn / "data_batch_1.bin").write_bytes(b"torn")
    assert fetch("cifar10", torn if inside else tmp_path) == torn
    assert len(read_cifar(torn).labels) == 450


def failing(monkeypatch, error):
    def retrieve(**_):
        raise error

    monkeypatch.setattr(pytest.importorskip("pooch"), "retrieve", retrieve)


@pytest.mark.parametrize(
    "error, why",
    [
        (ConnectionError("a long story"), "ConnectionError"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (ValueError("MD5 hash of downloaded file differs"), "ValueError"),
    ],
)
def test_without_a_network_it_says_what_to_put_where(monkeypatch, tmp_path, error, why):
    failing(monkeypatch, error)
    with pytest.raises(ConnectionError) as caught:
        fetch("cifar10", tmp_path)
    assert str(caught.value) == (
        f"cannot download CIFAR-10 ({why}): put cifar-10-binary.tar.gz (the binary "
        f"version, from https://www.cs.toronto.edu/~kriz/cifar.html) into `{tmp_path}` "
        "and call this again, or unpack it there."
    )


def test_without_pooch_it_says_what_to_put_where(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ValueError, match="needs pooch.*install it, or put cifar-100-"):
        fetch("cifar100", tmp_path)


def test_what_is_there_needs_neither(monkeypatch, cifar_parent):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert fetch("cifar10", cifar_parent) == cifar_parent / "cifar-10-batches-bin"


def test_unknown_sets_name_the_nearest(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'cifar10'"):
        fetch("cifar", tmp_path)
