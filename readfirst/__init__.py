"""readfirst: the conformance suite for Claude Code's file tools."""
