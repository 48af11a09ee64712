"""The newest contract of the bundled suite, for tests that need any recent version."""

from readfirst.harness.suite.suite import Suite

NEWEST = Suite().contracts.latest.name
