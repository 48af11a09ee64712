"""Detect lost and spoiled work of users. Only bytes, calls and answers are used, no expected results."""
