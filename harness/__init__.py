"""readfirst's harness: load a scenario, replay it, compare the outcome, report the verdict."""
