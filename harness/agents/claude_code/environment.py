"""Build the product's environment: no variables of the user, an invalid API key, only the loopback interface."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.processes.listener import PORT
from readfirst.harness.processes.safe_open import open_directory, replace_file
from readfirst.harness.processes.supervised_process import minimal_environment

_OFFLINE_SWITCHES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # otherwise its `git status` rewrites the index of the scenario's repository
}


def build_environment(
    directory: Path,
    program: Path,
    *,
    model: str | None = None,
    settings: Mapping[str, Any] | None = None,
    home: Path | None = None,
    window: int | None = None,
    checkpoints: bool = False,
) -> dict[str, str]:
    """Return the environment variables of `program`. Create a new configuration in `directory`, unless one exists.
    `home` is the home directory (default: a new one in `directory`). `settings` are user settings, which are written to
    the configuration and to `home`. With `window`, the product summarises the conversation after this number of tokens.
    With `checkpoints`, the product can restore files to an earlier state.
    """
    default_home = directory / "home"
    config = default_home / ".claude"
    temporary = directory / "tmp"
    # An earlier session may have put links into its configuration and home. They must not be followed.
    for path in (config, temporary):
        with open_directory(str(path), make=True):
            pass
    # Otherwise, old versions open a dialog instead of starting.
    onboarding = json.dumps({"hasCompletedOnboarding": True})
    for path in (default_home / ".claude.json", config / ".claude.json"):
        if not os.path.lexists(path):
            replace_file(str(path), onboarding.encode())
    home = default_home if home is None else home
    if settings:
        for folder in dict.fromkeys((config, home / ".claude")):
            replace_file(f"{folder}/settings.json", json.dumps(settings).encode())
    return {
        **minimal_environment(home, program.parent),
        "TMPDIR": str(temporary),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_API_KEY": "made-up-key-for-offline-recording",
        **({} if model is None else {"ANTHROPIC_MODEL": model}),
        **({} if window is None else {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(window)}),
        **({"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "1"} if checkpoints else {}),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
        **_OFFLINE_SWITCHES,
    }
