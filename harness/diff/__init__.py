"""Changes: what differs between two contracts or runs, grouped by cause like a changelog of the file tools."""
