"""`python -m highwater` is the command `highwater`."""

import sys

from highwater.explorer.start import main

sys.exit(main())
