"""`python -m scorer` is `spanscore`."""

import sys

from scorer.cli.main import main

# Workers are spawned: they import this module under another name and must not run the command.
if __name__ == "__main__":
    sys.exit(main())
