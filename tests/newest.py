from readfirst.harness.suite.suite import Suite

NEWEST = Suite().contracts.latest.name
