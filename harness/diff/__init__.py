"""Compare two contracts or runs, and group the differences by cause, like a changelog (`readfirst diff`)."""
