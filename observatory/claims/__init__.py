"""Behaviour: what documents claim of the product and what it really does; `page` makes docs/behaviour.md of it."""
