from typing import Any

from altered import Altered, Call, after_each_call, before_each_call, detected_by
from reasons import ALLOWED_REFUSAL, NOTHING_LOST, SHOWN_ANOTHER_WAY

from readfirst.harness.adapter_api import ToolResult


def read_named_files(call: Call) -> None:
    """The reference then counts the files that a command names as read."""
    for word in str(call.arguments["command"]).replace(";", " ").split():
        file = call.session.workspace.root / word
        if file.is_file():
            call.read(file)


@detected_by("bash-and-mentions/cat", "refused", harmless=SHOWN_ANOTHER_WAY)
@after_each_call
def CatCounts(call: Call, answer: ToolResult) -> None:
    """Counts a file as read after a command such as `cat` has named it."""
    if call.tool == "Bash":
        read_named_files(call)


@detected_by("bash-and-mentions/sed-in-place-after-read", "refused", harmless=NOTHING_LOST)
@after_each_call
def OwnCommandsAreNoChanges(call: Call, answer: ToolResult) -> None:
    """Treats changes by commands of the session as known, so that it does not detect them."""
    if call.tool == "Bash" and str(call.arguments["command"]).startswith(("sed -i", "echo")):
        read_named_files(call)


@detected_by("bash-and-mentions/mention-then-edit", "refused", harmless=ALLOWED_REFUSAL)
class MentionsAreBlind(Altered):
    """Shows the model a file that the user mentions, but still requires a Read before an Edit."""

    def mention(self, path: str) -> None:
        pass


@detected_by("bash-and-mentions/mention-of-another-file", "refused")
class MentionsUnlockEverything(Altered):
    """Counts every file as read after the user has mentioned one."""

    def mention(self, path: str) -> None:
        for file in self.workspace.root.iterdir():
            self.tools.mention(str(file))


@detected_by("bash-and-mentions/mention-then-change", "refused", harmless=NOTHING_LOST)
class MentionsAreNeverStale(Altered):
    """Reads a mentioned file again before each Edit, so that it never detects a change."""

    mentioned = ""

    def mention(self, path: str) -> None:
        self.mentioned = path

    def alter(self, *call: Any) -> ToolResult:
        if self.mentioned:
            self.tools.mention(self.mentioned)
        return self.reference(*call)


@detected_by("bash-and-mentions/memory-file-then-edit", "refused")
@before_each_call
def MemoryFilesAreRead(call: Call) -> None:
    """Counts a memory file as read if its content came together with a Read of another file."""
    memory = call.path.with_name("CLAUDE.md")
    if call.tool == "Read" and memory.exists():
        call.session.tools.mention(str(memory))
