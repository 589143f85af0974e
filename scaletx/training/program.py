"""Many runs of one shape as one compiled program, shared out over devices."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as Spec
from jaxtyping import Float

CAPACITY = 32
"""Rounds of lanes that one call can hold; a smaller call runs just those it has."""


WIDE_VECTORS: Any = {"xla_cpu_prefer_vector_width": 512}
"""XLA prefers vectors half as wide as a CPU may have; elementwise work gains."""


class Piece(NamedTuple):
    """Work of one device in one call: lanes that share their inputs (one seed).

    Attributes:
        inputs: A pytree of numpy arrays, of the same shapes in every piece.
        grid: `(lanes, axes)`, the grid point of each lane.
    """

    inputs: Any
    grid: Float[np.ndarray, "lanes axes"]


class Program:
    """One compiled program for any number of lanes of one shape.

    Each device takes a piece of work: `prepare(inputs)` once, then its lanes in a loop
    whose length is an argument, `at_once` of them side by side. The rates and seeds are
    arguments too, so that one compilation serves them all. Nothing is exchanged between
    devices, and a lane's numbers do not depend on its neighbours.

    Args:
        prepare: What the lanes of a piece share, from their inputs.
        lane: `lane(shared, grid_point) -> pytree of arrays`.
        example: A piece to take shapes from.
        devices: The devices to share the work.
        at_once: Lanes that run side by side on a device.

    Attributes:
        compile_s: Seconds that compiling took.
    """

    def __init__(
        self,
        prepare: Callable[[Any], Any],
        lane: Callable[[Any, Any], Any],
        example: Piece,
        *,
        devices: Sequence[Any],
        at_once: int = 1,
    ):
        self.at_once, self.devices = at_once, tuple(devices)
        self._sharding = NamedSharding(
            Mesh(np.array(self.devices), ("device",)), Spec("device")
        )

        def rounds(inputs, grid, count):
            inputs, grid, count = jax.tree.map(lambda a: a[0], (inputs, grid, count))
            shared = prepare(inputs)

            def round_(points):
                if at_once == 1:  # the plain program, not a batch of one
                    return jax.tree.map(lambda a: a[None], lane(shared, points[0]))
                return jax.vmap(lane, (None, 0))(shared, points)

            def body(i, out):
                new = round_(grid[i])
                return jax.tree.map(lambda all_, one: all_.at[i].set(one), out, new)

            shapes = jax.eval_shape(round_, grid[0])
            out = jax.tree.map(
                lambda s: jnp.zeros((CAPACITY, *s.shape), s.dtype), shapes
            )
            out = jax.lax.fori_loop(0, count, body, out)
            return jax.tree.map(lambda a: a[None], out)

        spec = self._sharding.spec
        mapped = jax.shard_map(
            rounds,
            mesh=self._sharding.mesh,
            in_specs=spec,
            out_specs=spec,
            check_vma=False,
        )
        start = time.perf_counter()
        arguments = self._place([example])
        cpu = self.devices[0].platform == "cpu"
        self._compiled = (
            jax.jit(mapped).lower(*arguments).compile(WIDE_VECTORS if cpu else None)
        )
        self.compile_s = time.perf_counter() - start

    def _place(self, pieces: Sequence[Piece]) -> tuple[Any, ...]:
        """Lay pieces out, one a device; devices without one repeat the first, idle."""
        axes = pieces[0].grid.shape[1]
        idle = Piece(pieces[0].inputs, np.zeros((0, axes)))
        padded = [*pieces, *[idle] * (len(self.devices) - len(pieces))]
        grid = np.ones((len(padded), CAPACITY * self.at_once, axes), np.float32)
        for row, piece in zip(grid, padded, strict=True):
            row[: len(piece.grid)] = piece.grid
        count = [math.ceil(len(piece.grid) / self.at_once) for piece in padded]
        inputs = jax.tree.map(lambda *a: np.stack(a), *(p.inputs for p in padded))
        arguments = (
            inputs,
            grid.reshape(len(padded), CAPACITY, self.at_once, axes),
            np.array(count, np.int32),
        )
        return jax.device_put(arguments, self._sharding)

    def __call__(self, pieces: Sequence[Piece]) -> list[Any]:
        """Run at most one piece a device; give each piece's outputs, lanes first."""
        out = jax.device_get(self._compiled(*self._place(pieces)))

        def of(device: int, lanes: int) -> Any:
            return jax.tree.map(
                lambda a: a[device].reshape(-1, *a.shape[3:])[:lanes], out
            )

        return [of(device, len(piece.grid)) for device, piece in enumerate(pieces)]


def share_out(
    counts: Sequence[int], devices: int, most: int
) -> list[list[tuple[int, int, int]]]:
    """Share groups of lanes out over devices, in calls of one piece a device.

    Args:
        counts: Lanes in each group (a seed).
        devices: Pieces that a call takes.
        most: Lanes that a piece holds at most.

    Returns:
        Calls; each a list of pieces (group, first lane, end lane).

    Example:
        Three seeds of four rates on two devices: two seeds whole, the third in halves.

        >>> share_out([4, 4, 4], devices=2, most=32)
        [[(0, 0, 4), (1, 0, 4)], [(2, 0, 2), (2, 2, 4)]]
    """
    left = {group: (0, count) for group, count in enumerate(counts) if count}
    calls = []
    while left:
        pieces: list[tuple[int, int, int]] = []
        largest = sorted(left, key=lambda g: left[g][0] - left[g][1])[:devices]
        share = [devices // len(largest)] * len(largest)
        for i in range(devices % len(largest)):
            share[i] += 1
        for group, parts in zip(largest, share, strict=True):
            first, end = left.pop(group)
            size = min(most, math.ceil((end - first) / parts))
            for _ in range(parts):
                if first < end:
                    pieces.append((group, first, min(first + size, end)))
                    first = pieces[-1][2]
            if first < end:
                left[group] = (first, end)
        calls.append(pieces)
    return calls
