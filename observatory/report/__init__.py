"""Pages and pictures of implementations and versions."""
