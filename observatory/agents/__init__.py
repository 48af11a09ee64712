"""Command-line agents other than the product: their wire formats, ACP, and pinned inodes."""
