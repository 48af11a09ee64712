"""Run all published implementations, and describe them on one page."""
