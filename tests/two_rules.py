_RULES = """\
classes:
  safety: Nothing is lost.
  design: What may be relied on.
  wording: How answers look.
  quirk: Habits.
rules:
  read-first:
    title: Edit refuses a file that was not read
    class: CLASS
    guards: [blind]
    requirement: must
    tools: [Edit]
    sources: ["behaviour-spec.txt, State Tracking"]
    why: A model guesses what is in it.
    always_refused: It is enough here.
  numbers:
    title: Read numbers the lines of a file
    class: wording
    guards: none
    requirement: must
    tools: [Read]
    sources: ["behaviour-spec.txt, Output Format"]
    why: Models tell the number from the text.
"""


def two_rules(class_: str) -> str:
    """Return a `rules.yaml` with two rules: `read-first`, which has the class `class_`, and `numbers`."""
    return _RULES.replace("CLASS", class_)
