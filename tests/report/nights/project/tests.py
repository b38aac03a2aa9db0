# SPDX-License-Identifier: GPL-2.0-or-later
"""What many projects have: a script that runs the program, and looks at what it says."""

import subprocess
import sys

subprocess.run([sys.argv[1], "4"], check=True)
