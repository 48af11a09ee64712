"""The texts of `readfirst --help`."""

GUIDE = """\
Conformance suite for Claude Code's file tools (Read, Edit, Write) and their read-before-edit contract.

A scenario is one YAML file: initial files, then steps (calls of Read, Edit and Write, and changes to files that \
no tool made), each with what is expected. "readfirst run" writes the files to an empty directory, makes the calls \
on an implementation, and compares every byte of the directory after each step. Expectations were recorded from the \
real product, one contract per version, or are what its documents state (the contract "documented").
"""

EXAMPLE = """\
  from readfirst import ToolResult

  class Session:
      def __init__(self, tools):
          self.tools = tools                # your implementation, with nothing read yet

      def call(self, tool, arguments):      # "Read", {"file_path": "/tmp/w/notes.txt"}
          try:
              return ToolResult(self.tools.perform(tool, arguments))
          except YourRefusal as refusal:    # a refusal is a result, never an exception
              return ToolResult(str(refusal), is_error=True)

  class Tools:
      def open(self, workspace):            # once per scenario
          return Session(YourTools(workspace.root))
"""
"""An example of an adapter in Python; docs/adapters.md has a complete one."""

MANUAL = f"""\
First steps:

  readfirst run                                  the bundled reference implementation
  readfirst list -k stale                        the scenarios about stale state
  readfirst show FAMILY/SLUG                     the steps of one of them, and what is expected
  readfirst contracts                            the versions to compare with
  readfirst diff documented 2.1.7                what differs between two contracts, or runs, by cause
  readfirst product behaviours 2.1.40            what one version does, behaviour by behaviour
  readfirst product snapshot --quick             whether the newest release changes anything
  readfirst run python:mymodule:Tools            your own implementation
  readfirst run 'mcp:node server.js'             your own MCP server
  readfirst fuzz python:mymodule:Tools           what the scenarios of the suite do not show
  readfirst check-adapter python:mymodule:Tools  whether the connection works at all
  readfirst docs                                 the pages of the documentation

Your own implementation:

  An adapter opens a session per scenario, and a session answers calls. In mymodule.py:

{EXAMPLE}
  An adapter never sees what is expected. `readfirst docs adapters` has the details.

How strictly results are compared (--level):

  safe      nobody's work lost or spoiled, and nothing refused that every contract answers
  effects   files afterwards, and refused or not
  reason    the same named error
  text      the same text, without what the program around the tool wraps it in
  verbatim  every byte of the recording

  A report shows them side by side: safe but differently worded is not unsafe.

Exit codes:

  0    conformant (to the baseline, if one is given)
  1    not conformant
  2    usage: an unknown flag, id, contract or target; a wrong baseline
  3    the adapter or the environment broke, so the result is incomplete
  4    the suite is invalid
  5    nothing was selected, or nothing could be judged
  70   a bug in readfirst
  130  interrupted
"""

TARGETS = """\
Targets:

  reference              the bundled reference implementation, in process
  python:module:factory  a Python object, in a process of its own
  mcp:command            an MCP server over standard input and output, in any language
  lines:command          a program that needs what MCP cannot express (docs/protocol.md)
  target:agno@3.1.10     a published implementation; `readfirst targets list` lists them
  agent:qwen-code        the same for an agent: its command line, driven by a scripted model
  claude-code:2.1.7      the real product, driven by a scripted model; needs npm and node
  recording:2.1.7        what was recorded; shows that scenarios and recordings agree

Examples:

  readfirst run FAMILY/SLUG
  readfirst run python:mymodule:Tools --level effects -j 4
  readfirst run python:mymodule:Tools --baseline accepted.yaml --format junit --output report.xml
  readfirst run python:mymodule:Tools --format html --output report.html
"""
