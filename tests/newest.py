"""The name of the newest contract of the bundled suite. Used by tests that need any recent version."""

from readfirst.harness.suite.suite import Suite

NEWEST = Suite().contracts.latest.name
