"""Write pages and pictures that compare implementations and versions."""
