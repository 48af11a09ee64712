"""By rule: what a search found as a list of rules, those first whose breach does most harm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readfirst.harness.fuzz.campaign import Finding
from readfirst.harness.suite.rules import CLASSES, Rules

_NO_RULE = "no rule"


def by_rule(findings: Sequence[Finding], rules: Rules | None) -> Iterator[str]:
    """Yield the lines: each class with its rules, how often each was broken, and what of the suite shows it, too.

    Rules come in the order of the suite, and last what breaks none that is known. Nothing where nothing was found.
    """
    if not findings:
        return
    known = {rule.id: rule for rule in rules} if rules is not None else {}
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.rule if finding.rule in known else "", []).append(finding)
    total = len(found) - ("" in found)
    yield f"Rules that are probably broken, worst first: {total}"
    wide = max(len(str(len(each))) for each in found.values())
    for class_ in CLASSES:
        names = [name for name, rule in known.items() if rule.class_ == class_ and name in found]
        if names:
            yield class_
        for name in names:
            yield f"  {len(found[name]):{wide}}  {known[name].title}"
            yield f"  {'':{wide}}  {name}; {_shown(found[name])}"
    if "" in found:
        yield _NO_RULE
        yield f"  {len(found['']):{wide}}  Nothing in the suite is like it"


def _shown(findings: Sequence[Finding]) -> str:
    scenarios = sorted({finding.shown_by for finding in findings if finding.shown_by})
    if not scenarios:
        return "none of the scenarios that are most like it shows it"
    return f"the suite shows it, too: {scenarios[0]}"
