"""Describe an implementation as a version of the reference with a few changed behaviours."""
