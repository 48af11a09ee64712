"""Parse the URLs with which two wire formats send images."""


def of_data_url(url: object) -> tuple[object, object]:
    """Parse a `data:` URL, and return its media type and its data."""
    head, _, data = str(url).partition(",")
    return head.removeprefix("data:").partition(";")[0], data
