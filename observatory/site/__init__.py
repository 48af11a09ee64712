"""Generate the website: pages for rules, implementations and versions, the docs, and a search."""
