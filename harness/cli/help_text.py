"""The texts that `readfirst --help` prints."""

GUIDE = """\
Conformance suite for Claude Code's file tools (Read, Edit, Write) and their read-before-edit contract.

A scenario is one YAML file: initial files, then steps, each with its expected result. A step is a call of Read, Edit \
or Write, or a change to a file by another program. "readfirst run" writes the files to an empty directory, makes the \
calls on an implementation, and compares every byte of the directory after each step. The expectations of a contract \
were recorded from one version of the real product, or taken from its documents (the contract "documented").
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
"""An example of an adapter in Python, which the help shows. docs/adapters.md contains a complete example."""

MANUAL = f"""\
First steps:

  readfirst run                                  the bundled reference implementation
  readfirst list -k stale                        the scenarios about stale state
  readfirst show FAMILY/SLUG                     the steps of one scenario, and their expected results
  readfirst contracts                            the versions to compare with
  readfirst diff documented 2.1.7                the differences between two contracts, or runs, by cause
  readfirst product behaviours 2.1.40            the behaviours of one version
  readfirst product snapshot --quick             check whether the newest release changes anything
  readfirst run python:mymodule:Tools            your own implementation
  readfirst run 'mcp:node server.js'             your own MCP server
  readfirst fuzz python:mymodule:Tools           search for differences that no scenario shows
  readfirst check-adapter python:mymodule:Tools  check whether the connection works at all
  readfirst docs                                 the pages of the documentation

Your own implementation:

  An adapter opens a session per scenario, and a session answers calls. In mymodule.py:

{EXAMPLE}
  An adapter never sees the expected results. `readfirst docs adapters` has the details.

How strictly results are compared (--level):

  safe      no work is lost or spoiled, and no call is refused that every contract answers
  effects   the same files afterwards, and the same calls refused
  reason    the same named errors
  text      the same texts, except for additions of the program around the tools
  verbatim  every byte of the recording

  A report shows all levels, so that an unsafe tool differs from a safe one with other texts.

Exit codes:

  0    conformant (to the baseline, if one is given)
  1    not conformant
  2    usage: an unknown flag, id, contract or target; a wrong baseline
  3    an error of the adapter or the environment, so the result is incomplete
  4    the suite is invalid
  5    nothing was selected, or nothing could be judged
  70   a bug in readfirst
  130  interrupted
"""

TARGETS = """\
Targets:

  reference              the bundled reference implementation, in process
  python:module:factory  a Python object, in a separate process
  mcp:command            an MCP server over standard input and output, in any language
  lines:command          a program with a protocol that supports more than MCP (docs/protocol.md)
  target:agno@3.1.10     a published implementation; `readfirst targets list` lists them
  agent:qwen-code        the same for an agent: its command line, driven by a scripted model
  claude-code:2.1.7      the real product, driven by a scripted model; needs npm and node
  recording:2.1.7        the recorded answers; shows that scenarios and recordings agree

Examples:

  readfirst run FAMILY/SLUG
  readfirst run python:mymodule:Tools --level effects -j 4
  readfirst run python:mymodule:Tools --baseline accepted.yaml --format junit --output report.xml
  readfirst run python:mymodule:Tools --format html --output report.html
"""
