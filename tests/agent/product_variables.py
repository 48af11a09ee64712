"""The environment variables that the product gets. Used to check that no other variable is passed to it."""

VARIABLES = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CONFIG_DIR",
        "DISABLE_AUTOUPDATER",
        "DISABLE_BUG_COMMAND",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
        "GIT_OPTIONAL_LOCKS",
        "HOME",
        "LANG",
        "PATH",
        "TMPDIR",
    }
)
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
"""The variable that only a product that summarises its conversation gets."""
