import math

from hypothesis import given
from hypothesis import strategies as st

from scaletx.training.program import share_out

counts = st.lists(st.integers(0, 70), max_size=8)


@given(counts=counts, devices=st.integers(1, 9), most=st.integers(1, 32))
def test_every_lane_exactly_once_and_a_piece_a_device_at_most(counts, devices, most):
    calls = share_out(counts, devices, most)
    seen = [
        (group, lane)
        for call in calls
        for group, first, end in call
        for lane in range(first, end)
    ]
    wanted = [(group, lane) for group, n in enumerate(counts) for lane in range(n)]
    assert sorted(seen) == wanted
    for call in calls:
        assert 1 <= len(call) <= devices
        assert all(1 <= end - first <= most for _, first, end in call)


@given(counts=counts, devices=st.integers(1, 9), most=st.integers(1, 32))
def test_no_more_calls_than_a_queue_of_pieces_needs(counts, devices, most):
    """Never worse than whole pieces handed out one after the other, plus one call."""
    pieces = sum(math.ceil(n / most) for n in counts)
    assert len(share_out(counts, devices, most)) <= math.ceil(pieces / devices) + 1


def test_a_single_seed_uses_all_devices():
    assert share_out([8], devices=4, most=32) == [
        [(0, 0, 2), (0, 2, 4), (0, 4, 6), (0, 6, 8)]
    ]


def test_nothing_to_do():
    assert share_out([], devices=2, most=4) == []
    assert share_out([0, 0], devices=2, most=4) == []
