"""Reading: what Read shows of images, documents and notebooks, and how much of a file is too much."""
