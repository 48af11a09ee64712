"""Run a command-line agent without a network: a script plays its model, and its tools' answers are returned."""
