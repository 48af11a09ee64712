"""How Read shows images, documents and notebooks; limits of Read."""
