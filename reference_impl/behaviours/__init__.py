"""Differences between contracts, by subject: named behaviours, each declared once.

A declaration contains the values with the first version of each, the meaning of the behaviour, its source, and
the scenarios that show it. `reference_impl.behaviours_by_version.Behaviours` contains all of them; `readfirst
product behaviours` prints them. To follow a change of the product, add an entry to the history of a behaviour,
or add a behaviour.
"""
