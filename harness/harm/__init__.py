"""Detect lost and spoiled work in a session, from bytes, calls and answers only."""
