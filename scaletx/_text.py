"""Short aligned tables: how results print in a terminal and in a notebook."""

from collections.abc import Iterable, Sequence


def aligned(rows: Iterable[Sequence[object]]) -> str:
    """Lay rows out in left-aligned columns, two spaces apart.

    Example:
        >>> print(aligned([("s1", 0.125), ("eta_W", 2.0)]))
        s1     0.125
        eta_W  2.0
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)
