"""What differs between contracts, by subject: named behaviours, each with the versions that it changed in.

`reference_impl.contract.Behaviours` has all of them. A further change of the product is one further entry in the
history of a behaviour, or one further behaviour.
"""
