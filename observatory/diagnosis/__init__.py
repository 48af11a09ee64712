"""Diagnosis: what an implementation is like, as a version of the reference with a few behaviours changed."""
