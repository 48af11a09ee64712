"""The modules of all tools, by the name of the tool in the product."""

from collections.abc import Mapping

from readfirst.reference_impl.tools import bash, edit, multi_edit, notebook_edit, notebook_read, read, write
from readfirst.reference_impl.tools.tool import Tool

__all__ = ["TOOLS"]

TOOLS: Mapping[str, Tool] = {
    "Read": read,
    "Edit": edit,
    "MultiEdit": multi_edit,
    "NotebookEdit": notebook_edit,
    "NotebookRead": notebook_read,
    "Write": write,
    "Bash": bash,
}
