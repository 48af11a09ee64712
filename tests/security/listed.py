"""Lists of attacks, many on a line."""


def cases(listed: str) -> list[str]:
    """Return the cases of a list, separated by broken bars."""
    return listed.split(" ¦ ")
