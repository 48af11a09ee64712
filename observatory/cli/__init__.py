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
        "targets list": "targets:targets",
        "targets new-mapping": "targets:new_mapping",
        "targets implementations": "targets:implementations",
        "targets compatibility": "compatibility:compatibility",
        "targets site": "compatibility:site",
    },
    {"targets": "Published implementations: run them, compare them, show them; and connect a new one."},
    panel="Observatory",
    renamed={"field targets": "targets list", "field": "targets"},
)
