"""Diagnosis: what an implementation is like, told as a version of the reference with a few behaviours changed."""
