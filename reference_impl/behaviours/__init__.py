"""Differences between contracts. Each difference is a named behaviour, which is declared once.

A declaration contains the values of the behaviour with the first version of each value, the meaning, the source, and
the scenarios that show the behaviour. `readfirst product behaviours` prints all behaviours. If the product changes,
add a version to the history of a behaviour, or add a behaviour.
"""
