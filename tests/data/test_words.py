import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaletx.data import DATA_SETS, data_set, require_size

FORM = "power-law:ALPHA or power-law:ALPHA:projection"


def test_unknown_names_name_the_nearest():
    for lookup in (data_set, lambda name: require_size(name, 36)):
        with pytest.raises(ValueError, match="data='patch'.*Did you mean 'patches'"):
            lookup("patch")
    with pytest.raises(ValueError, match="data='powerlaw'.*Did you mean 'power-law'"):
        data_set("powerlaw:1.5")
    with pytest.raises(ValueError, match="data='cifar'.*Did you mean 'cifar10'"):
        data_set("cifar:/very/long/path/to/the/images")


@pytest.mark.parametrize(
    "name, what, form",
    [
        ("isotropic:2", "takes no argument '2'", "Write isotropic."),
        ("digits:8", "takes no argument '8'", "Write digits."),
        ("power-law", "ALPHA='' is no number >= 0", FORM),
        ("power-law:-1", "ALPHA='-1' is no number >= 0", FORM),
        ("power-law:nan", "ALPHA='nan' is no number >= 0", FORM),
        ("power-law:inf", "ALPHA='inf' is no number >= 0", FORM),
        ("power-law:steep", "ALPHA='steep' is no number", FORM),
        ("power-law:1:project", "'project' is neither fresh nor projection", FORM),
        ("power-law:1:", "'' is neither fresh nor projection", FORM),
        ("cifar10", "names no folder", "Write cifar10:FOLDER for gray"),
        ("cifar10:", "names no folder", "cifar10:FOLDER:color for color"),
        ("cifar100::color", "names no folder", "Write cifar100:FOLDER for gray"),
        ("cifar10:/x:colour", "'colour' is neither gray nor color", "FOLDER:color"),
        ("cifar10:/x:y/z", "neither gray nor color", "the folder itself has a colon"),
    ],
)
def test_a_wrong_argument_shows_the_right_form(name, what, form):
    expected = f"data={name!r}: .*{re.escape(what)}.*{re.escape(form)}"
    with pytest.raises(ValueError, match=expected) as caught:
        data_set(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name, label",
    [
        ("power-law:1.50", "power-law:1.5:fresh"),
        ("power-law:-0", "power-law:0:fresh"),
        ("power-law:1.23456789:projection", "power-law:1.23456789:projection"),
        ("cifar10:/x", "cifar10:gray"),
        ("cifar10:/x:gray", "cifar10:gray"),
        ("cifar100:/x:color", "cifar100:color"),
        ("cifar10:C:/x:color", "cifar10:color"),
        ("cifar10:/x:color:gray", "cifar10:gray"),
    ],
)
def test_labels_say_options_in_one_way_and_no_folder(name, label):
    assert data_set(name).label == label


def test_a_folder_may_have_a_colon_if_the_option_is_said():
    assert vars(data_set("cifar10:/a:color:gray"))["folder"] == "/a:color"


def test_looking_up_reads_no_file():
    assert data_set("cifar10:/nowhere").sizes == (1, 4, 16, 64, 256, 1024)
    assert data_set("cifar10:/nowhere:color").sizes[-1] == 3072
    require_size("cifar10:/nowhere", 64)
    with pytest.raises(ValueError, match="`/nowhere` holds no binary files of CIFAR"):
        require_size("cifar10:/nowhere", 64, 100)


def test_a_projection_ends_at_its_ambient_dimension():
    require_size("power-law:1:projection", 4096)
    with pytest.raises(ValueError, match="N=4097: it gives N = 1 to 4096"):
        require_size("power-law:1:projection", 4097)
    with pytest.raises(ValueError, match="N=4097.*4096 dimensions"):
        data_set("power-law:1:projection").clean(4097, 1, seed=0, test=False)


@given(st.tuples(st.sampled_from([*DATA_SETS, "x"]), st.text(max_size=12)))
def test_any_text_is_a_data_set_or_a_sentence(parts):
    try:
        data = data_set(":".join(parts))
    except ValueError as error:
        assert str(error).startswith("data=") and str(error).endswith((".", "?"))
    else:
        assert data.label.startswith(parts[0])


def test_looking_up_imports_nothing_heavy(cifar_parent):
    words = ["isotropic", "patches", "digits", "power-law:1", f"cifar10:{cifar_parent}"]
    code = (
        "import sys\n"
        "from scaletx.data import data_set\n"
        f"for word in {words!r}: data_set(word).identity()\n"
        "print(*{'sklearn', 'pooch', 'PIL', 'jax', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
