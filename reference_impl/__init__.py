"""The reference implementation of Claude Code's file tools, one contract at a time.

    from readfirst import FileTools, Refusal

    tools = FileTools(contract="2.1.7", root=Path("project"), deny=["Edit(secret/**)"])
    tools.call("Read", {"file_path": "notes.txt"})      # -> Result(text, is_error, error, code), never raises
    tools.edit("notes.txt", "alpha", "beta")            # -> str, or raises Refusal(name, code, message)

One `FileTools` is one session. It remembers which files were read, and when.
"""

from readfirst.reference_impl.behaviours_by_version import DEFAULT_CONTRACT, Behaviours, behaviours_of
from readfirst.reference_impl.file_tools import FileTools, Result
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.hooks import Hook
from readfirst.reference_impl.shell.shell import CommandResult, Shell

__all__ = [
    "DEFAULT_CONTRACT",
    "Behaviours",
    "CommandResult",
    "FileTools",
    "Hook",
    "Refusal",
    "Result",
    "Shell",
    "behaviours_of",
]
