"""Wire formats that agents other than the product use to call their models."""
