"""``python -m mindspore_compat``: the command line, see `cli`."""

import sys

from mindspore_compat.cli import main

if __name__ == "__main__":
    sys.exit(main())
