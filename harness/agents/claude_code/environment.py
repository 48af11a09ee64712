"""The product's environment, built from nothing: no variable of ours, a made-up key, loopback only."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.processes.listener import PORT
from readfirst.harness.processes.safe_open import opened, replace_file
from readfirst.harness.processes.supervised_process import bare_variables

BASE_URL = "ANTHROPIC_BASE_URL"
MODEL = "ANTHROPIC_MODEL"

_SWITCHES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # else its `git status` rewrites the index of a repository that is given
}

WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
CHECKPOINTS = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"

ALLOWED_VARIABLES = frozenset(
    {
        "PATH",
        "LANG",
        "HOME",
        "TMPDIR",
        "CLAUDE_CONFIG_DIR",
        "ANTHROPIC_API_KEY",
        MODEL,
        BASE_URL,
        WINDOW,
        CHECKPOINTS,
        *_SWITCHES,
    }
)
"""Every variable that the product ever sees."""


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
    """Make a fresh configuration below `directory`, unless one is there; return the variables for `program`.

    `home` is the home directory; without it there is a fresh one below `directory`. `settings` are the user's,
    written to the configuration, and also below `home`, where early versions look for them.
    `window` is after how many tokens the product has the conversation summarised; without it the product decides.
    `checkpoints`: the product keeps what files were, to bring them back.
    `PATH` holds the program's own folder and the system's; nothing is taken from this process. The supervisor
    puts the port into the base URL.
    """
    own = directory / "home"
    config = own / ".claude"
    temporary = directory / "tmp"
    # What a session before this one made of its configuration and home must lead the harness nowhere.
    for path in (config, temporary):
        with opened(str(path), make=True):
            pass
    # Without it old versions open a dialog instead of starting.
    onboarding = json.dumps({"hasCompletedOnboarding": True})
    for path in (own / ".claude.json", config / ".claude.json"):
        if not os.path.lexists(path):
            replace_file(str(path), onboarding.encode())
    home = own if home is None else home
    if settings:
        for folder in dict.fromkeys((config, home / ".claude")):
            replace_file(f"{folder}/settings.json", json.dumps(settings).encode())
    return {
        **bare_variables(home, program.parent),
        "TMPDIR": str(temporary),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_API_KEY": "made-up-key-for-offline-recording",
        **({} if model is None else {MODEL: model}),
        **({} if window is None else {WINDOW: str(window)}),
        **({CHECKPOINTS: "1"} if checkpoints else {}),
        BASE_URL: f"http://127.0.0.1:{PORT}",
        **_SWITCHES,
    }
