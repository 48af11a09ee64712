"""The results that README shows are those of docs/compatibility.json."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_rows_of_the_first_page_are_those_of_the_data() -> None:
    """If this fails, copy the figures of docs/implementations.md and docs/harm.md."""
    heading, *rows = re.findall(r"```text results\n(.*?)```", README, re.DOTALL)[0].splitlines()
    data = json.loads((ROOT / "docs/compatibility.json").read_bytes())
    date = json.loads((ROOT / "docs/implementations.json").read_bytes())["date"]
    assert heading.startswith(f"measured on {date} ")
    known = data["implementations"] | {f"claude-code@{name}": each for name, each in data["versions"].items()}
    shares = []
    for row in rows:
        name, *figures = row.split()
        harm = known[name]["harm"]
        assert "sampled" not in harm
        shares.append(harm["any"] / harm["sessions"])
        counts = [str(harm["counts"].get(kind, 0)) for kind in ("lost", "spoiled")]
        assert figures == [str(harm["sessions"]), f"{100 * shares[-1]:.1f}%", *counts], name
    assert shares == sorted(shares, reverse=True)
    harms = [each["harm"] for each in known.values() if each.get("harm", {}).get("sessions")]
    every = [harm["any"] / harm["sessions"] for harm in harms if "sampled" not in harm]
    assert (shares[0], shares[-1]) == (max(every), min(every))
