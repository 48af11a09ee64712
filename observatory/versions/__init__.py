"""Find and describe the changes between versions of the product."""
