"""`scaletx status`: what a store holds and lacks."""

import json
from collections.abc import Collection
from typing import Any

import click


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(folder: str, as_json: bool) -> None:
    """Say how much of the sweep in DIR is done, to do, diverged or failed.

    Example: scaletx status runs/width
    """
    from scaletx.sweep import Store, StoreError, plan, spec

    store = Store(folder)
    words = store.stored_words()
    if not words:
        raise StoreError(
            f"`{folder}` holds no sweep: name the folder of one, or start it with "
            f"scaletx sweep {folder}."
        )
    stored = spec(**words)
    if not as_json:
        click.echo(describe(store, stored))
        return
    results = store.results()
    found = plan(stored, None if results is None else results.lanes)
    click.echo(
        json.dumps(
            {
                "path": folder,
                "lanes": found.lanes,
                **found.counts,
                "flops_todo": found.flops,
                "seconds_left": found.seconds,
                "unreadable": store.unreadable(),
                "spec": words,
            },
            indent=2,
            allow_nan=False,
        )
    )


def describe(store: Any, spec: Any, *, again: Collection[Any] = ()) -> str:
    """Say in a few lines what is done, what is to do, and what that costs."""
    from scaletx.sweep import plan

    results = store.results()
    found = plan(spec, None if results is None else results.lanes, again=again)
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    lines = [f"{store.path}: {found.lanes} lanes: {counts}"]
    if found.jobs:
        seconds, source = found.seconds, "the finished lanes"
        if seconds is None:
            seconds, source = found.flops / _product_rate(), "the matrix-product rate"
        lines.append(
            f"to do: {found.compiles} compiles, {found.flops:.3g} FLOP, about "
            f"{seconds:,.0f} s by {source} here, {found.bytes / 1e6:,.0f} MB for the "
            "largest lane"
        )
    lines += [
        f"cannot read parts/{part}: {why}; sweep sets it aside and runs it again"
        for part, why in store.unreadable().items()
    ]
    return "\n".join(lines)


def _product_rate() -> float:
    """FLOP/s of a float32 matrix product, measured now."""
    import time

    import numpy as np

    a = np.ones((1024, 1024), np.float32)
    np.matmul(a, a)
    start = time.perf_counter()
    for _ in range(3):
        np.matmul(a, a)
    return 3 * 2 * 1024**3 / (time.perf_counter() - start)
