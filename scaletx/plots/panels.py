"""Several verdicts side by side."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from scaletx.analysis import Verdict
from scaletx.plots.canvas import blank
from scaletx.plots.transfer import transfer


def figure(verdicts: Sequence[Verdict], titles: Sequence[str] = ()) -> Figure:
    """Draw verdicts side by side, one panel each.

    Args:
        verdicts: What `scaletx.analysis.verdict` returned.
        titles: A name for each panel, if any.

    Returns:
        The figure.

    Raises:
        ValueError: If there is no verdict, or not one title for each.
    """
    if not verdicts:
        raise ValueError("figure() got no verdicts: it needs one or more to draw.")
    if titles and len(titles) != len(verdicts):
        raise ValueError(
            f"figure() got {len(titles)} titles for {len(verdicts)} verdicts: "
            "give one for each, or none."
        )
    made, axes = blank(len(verdicts))
    names = titles or [""] * len(verdicts)
    for v, ax, name in zip(verdicts, axes, names, strict=True):
        transfer(v, ax, title=name)
    return made
