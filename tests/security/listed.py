"""Lists of attacks, many on a line."""


def cases(listed: str) -> list[str]:
    """Return the cases of a list, in which a broken bar is between two."""
    return listed.split(" ¦ ")
