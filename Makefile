# From a bare clone: `make demo` shows the product, `make test` checks it.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
FAST := -q -n 2

.PHONY: demo test lint bench figures docs clean

demo: $(INSTALLED)
	$(BIN)/scaletx demo

test: $(INSTALLED)
	$(BIN)/python -m pytest $(FAST)

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/python bench/sweep.py
	$(BIN)/python bench/costs.py
	$(BIN)/python bench/gpu.py

figures: $(INSTALLED)
	$(BIN)/scaletx plot transfer figures/isotropic-*.csv --out figures/isotropic.png
	$(BIN)/scaletx plot transfer figures/patches-plain-table.csv \
		figures/patches-data-aware-rate.csv --out figures/patches.png
	$(BIN)/scaletx study claims

docs: $(INSTALLED)
	$(BIN)/python -m pytest -q --doctest-modules scaletx

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "scaletx needs Python 3.11 or newer: say make PYTHON=python3.11 (or newer)."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(INSTALLED)

clean:
	rm -rf .venv build *.egg-info
