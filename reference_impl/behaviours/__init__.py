"""What differs between contracts, by subject: named behaviours, each declared once.

A declaration has the values with the versions that they hold from, what the behaviour means, where it is known from,
and the scenarios that show it. `reference_impl.contract.Behaviours` has all of them, and `readfirst product behaviours`
prints them. A further change of the product is one further entry in the history of a behaviour, or one further
behaviour.
"""
