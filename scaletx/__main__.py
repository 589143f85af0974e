"""`python -m scaletx` is the command line."""

from scaletx.cli import main

if __name__ == "__main__":
    main()
