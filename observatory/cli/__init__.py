"""The commands of the observatory."""

from pathlib import Path

from readfirst.harness.cli.commands import Commands

COMMANDS = Commands(
    "readfirst.observatory.cli",
    Path(__file__).parent,
    {
        "fuzz": "fuzz:fuzz",
        "diagnose": "diagnose:diagnose",
        "renew": "pages:renew",
        "product adopt": "adopt:adopt",
        "product bisect": "bisect:bisect",
        "product history": "pages:history",
        "product behaviours": "pages:behaviours",
        "product claims": "pages:claims",
        "product tools": "tools:tools",
        "field targets": "targets:targets",
        "field new-mapping": "targets:new_mapping",
        "field implementations": "targets:implementations",
        "field compatibility": "compatibility:compatibility",
        "field site": "compatibility:site",
    },
    {"field": "Published implementations: run them, compare them, show them; and connect a new one."},
    panel="Observatory",
)
