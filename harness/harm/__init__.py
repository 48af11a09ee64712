"""Harm: what a session lost or spoiled, judged from bytes, calls and answers alone."""
