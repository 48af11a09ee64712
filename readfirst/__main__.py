"""Run the command line, for `readfirst` and `python -m readfirst`."""

__all__ = ["main"]


def main() -> None:
    """Run the command line in this process. Always ends with SystemExit."""
    from readfirst.harness.cli.process_setup import begin, end

    begin()
    try:
        # Only now what takes long to import: a signal ends the process in between.
        from readfirst.harness.cli.main import main as run

        run()
    finally:
        end()


if __name__ == "__main__":
    main()
