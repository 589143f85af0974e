import re

import numpy as np
import pandas as pd
import pytest

from scaletx import analysis
from scaletx.analysis import Answer, fit_power_law, fit_table

from .planted import mup66, planted


def refused(match, table, **words):
    with pytest.raises(ValueError, match=re.escape(match)) as error:
        analysis.verdict(table, **words)
    assert type(error.value) is ValueError


def test_a_setting_that_varies_is_refused_by_name():
    table = planted()
    mixed = table.assign(steps=np.where(table["N"] == 256, 400, 200))
    refused("steps: 200, 400", mixed)
    for words in ({"ignore": "steps"}, {"ignore": ["steps"]}, {"allow_mixed": True}):
        assert analysis.verdict(mixed, **words).verdict is Answer.TRANSFERS
    refused("ignore='step' is unknown", mixed, ignore="step")


def test_results_and_proportional_sizes_may_vary():
    assert analysis.verdict(planted(), loss="test_mse").loss == "test_mse"


def test_a_size_has_one_value_of_the_other_axes():
    table = planted()
    table.loc[(table["N"] == 64) & (table["seed"] == 2), "K"] = 999
    refused("K: 128, 999 at N = 64", table)


def test_another_rate_that_varies_is_refused():
    table = planted().assign(beta=lambda t: t["eta0"] * 3)
    refused("eta0", table, lr="beta")


def test_any_further_column_of_a_foreign_table_is_refused():
    table = mup66()
    table["smooth"] = table["loss"] - 0.1
    refused("smooth", table)
    analysis.verdict(table, ignore="smooth")


def test_equal_rows_are_refused_and_what_tells_them_apart_is_named():
    table = mup66()
    twice = pd.concat([table.assign(batch=16), table.assign(batch=32)])
    refused("batch: 16, 32", twice)
    refused("They differ in batch", twice, allow_mixed=True)
    refused("2 rows have the same cell (width = 96, lr = ", pd.concat([table, table]))
    near = table.assign(lr=table["lr"] * (1 + 1e-12))
    refused("the same cell", pd.concat([table, near]))


def test_unknown_columns_name_the_nearest():
    refused("Did you mean 'width'?", mup66(), size="widht")
    refused("Did you mean 'lr'?", mup66(), lr="lrr")
    refused("loss='los' is unknown", mup66(), loss="los")
    refused("seed='run' is unknown", mup66(), seed="run")
    refused("group='g' is unknown", mup66(), group="g")
    with pytest.raises(ValueError, match="group='g' is unknown"):
        analysis.verdicts(mup66(), group="g")


def test_a_column_that_is_not_found_is_asked_for():
    odd = mup66().rename(columns={"width": "channels"})
    refused("Which column is the size? In channels, lr, loss none is known", odd)
    two = mup66().assign(val_loss=1.0)
    refused("loss and val_loss could each be it", two)


def test_values_must_be_usable():
    table = planted()
    refused("must be above 0", table.assign(eta0=table["eta0"] - 2.0**-9))
    refused("holds 'big'", mup66().assign(width="big"))
    refused("finite numbers only", mup66().assign(lr=np.inf))
    refused("status='crashed' is unknown", table.assign(status="crashed"))
    refused("give every row a seed", table.assign(seed=np.nan))
    refused("no rows", table.iloc[:0])
    refused("margin=0", table, margin=0)
    refused("regret_margin=-1", table, regret_margin=-1)


def test_text_cells_are_refused_by_column_value_and_row():
    table = pd.DataFrame({"w": [1, 2, 4, 8, 16], "loss": 1.0}).astype(object)
    table.loc[[2, 4], "loss"] = ["n/a?", "crashed"]
    with pytest.raises(ValueError, match="Column 'loss' holds 'n/a.' in row 2: expect"):
        fit_table(table, x="w", y="loss")
    # rows that two tables share the name of
    with pytest.raises(ValueError, match="Column 'loss' holds 'n/a.' in row 2: expect"):
        fit_table(pd.concat([table, table]), x="w", y="loss")
    with pytest.raises(ValueError, match="Column 'x' holds 'wide' in row 1: expected"):
        fit_power_law([1, "wide", 3], [3, 2, 1])
