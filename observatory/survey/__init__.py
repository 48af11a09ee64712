"""Run all published implementations on the suite, and describe their results on one page."""
