"""The newest contract of the bundled suite: tests that need any newest version take it from here."""

from readfirst.harness.suite.suite import Suite

NEWEST = Suite().contracts.latest.name
