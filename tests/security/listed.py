"""Splits lists of attacks that are written many to a line."""


def cases(listed: str) -> list[str]:
    """Return the cases of a list, which are separated by broken bars (`¦`)."""
    return listed.split(" ¦ ")
