"""The observatory: published implementations, versions of the product and documents, watched beside the suite."""
