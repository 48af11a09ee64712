"""Badge: how much of the suite holds, in the JSON that shields.io takes from an endpoint."""

from __future__ import annotations

import json

from harness.report.results import Results

__all__ = ["badge"]


def badge(results: Results) -> str:
    """Return the JSON of a badge for all runs together, at the levels they were asked for.

    Green: all holds. Yellow: what fails is accepted. Orange: only names of errors or texts fail. Red: files
    or refusals do, or an implementation broke. Grey: nothing was judged, or a run was interrupted.
    """
    runs = results.runs
    judged = sum(run.total.judged for run in runs)
    passed = sum(run.total.passed for run in runs)
    levels = dict.fromkeys(run.level for run in runs)
    message = f"{passed}/{judged} {', '.join(levels)}"
    if any(run.interrupted for run in runs):
        message, color = "interrupted", "lightgrey"
    elif judged == 0:
        message, color = "nothing judged", "lightgrey"
    elif passed == judged:
        color = "brightgreen"
    elif all(run.conformant for run in runs):
        color = "yellow"
    elif all(run.total.holds["effects"] == run.total.judged for run in runs):
        color = "orange"
    else:
        color = "red"
    contracts = ", ".join(results.contracts)
    value = {"schemaVersion": 1, "label": f"readfirst {contracts}", "message": message, "color": color}
    return json.dumps(value, indent=2) + "\n"
