"""The site: the tables by rule, a page for each rule and each implementation, and the docs, with search."""
