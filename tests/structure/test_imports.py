"""Modules that a run does not need are not imported: otherwise every process would load them, and mutants could not
replace them.
"""

import subprocess
import sys


def test_a_runner_does_not_import_the_reference() -> None:
    code = "import sys, readfirst.harness.run.runner; print('readfirst.reference_impl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
