"""Outside: the scenarios of the bundled suite that name paths outside the workspace, being about just that."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OUTSIDE: Mapping[str, str] = MappingProxyType(
    {
        "gate/unread-under-suspicious-names": "a name of three dots, which is no way up",
        "paths/environment-variable": "a variable in a path is not expanded",
        "paths/file-uri": "an address is no path",
        "paths/longer-than-the-system-takes-absolute": "a path that no machine has, being too long",
        "paths/missing-absolute-root": "a file that no machine has, beside the root",
        "paths/tilde-user-read": "the home of another user, where no machine has this file",
        "paths/tilde-user-write": "the home of another user, which nobody has",
        "permissions/root-as-a-whole-edit": "a rule for the whole file system, and a folder that no machine has",
        "permissions/root-as-a-whole-read": "a rule for the whole file system, and a folder that no machine has",
        "permissions/root-rule-for-one-file": "a rule that is anchored at the root",
        "permissions/root-rule-for-one-name": "a rule that is anchored at the root, and a folder that no machine has",
        "permissions/rule-for-everything-and-what-is-outside": "a folder that no machine has",
    }
)
"""Their ids, each with what it names. No other suite has any, whatever ids it uses."""
