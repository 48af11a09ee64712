"""The project URLs of a built package: those of the repository that it is built from."""

from __future__ import annotations

import os
import re
import subprocess

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ProjectUrls", "page_of"]

_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://(?:[^@/]*@)?|[\w.-]+@)([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)


def page_of(remote: str) -> str | None:
    """Return the page of a repository, `https://HOST/OWNER/NAME`. None if it has no public host.

    `remote` is its address for git, such as `git@host.org:owner/name.git`; a user or a password in it is removed.
    """
    found = _REMOTE.fullmatch(remote.strip())
    return f"https://{found[1]}/{found[2]}" if found else None


def _remote(root: str) -> str:
    """Return the address of the repository: from GitHub Actions, otherwise from git, otherwise empty."""
    if repository := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
    command = ["git", "-C", root, "remote", "get-url", "origin"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


class ProjectUrls(MetadataHookInterface):
    """Sets `urls`; none where the repository has no page, so that no link leads nowhere."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add the URLs to the project's metadata."""
        page = page_of(_remote(self.root))
        if page is not None:
            files = f"{page}/blob/HEAD"
            metadata["urls"] = {
                "Source": page,
                "Documentation": f"{files}/docs/README.md",
                "Changelog": f"{files}/CHANGELOG.md",
                "Issues": f"{page}/issues",
            }
