"""The tools of the reference, one module per tool. Its functions are in the order of use in a call."""
