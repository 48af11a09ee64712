"""The tools of the reference, one module per tool. Its functions are in the order in which a call uses them."""
