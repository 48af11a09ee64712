"""The observatory tests published implementations, versions of the product and documents with the suite."""
