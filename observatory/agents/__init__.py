"""Support for command-line agents other than the product: wire formats, the Agent Client Protocol, held inodes."""
