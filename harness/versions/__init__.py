"""Find the changes in releases of the product, with dates, and record new releases."""
