"""`python -m readfirst`: the command line."""

from readfirst.harness.cli.main import main

if __name__ == "__main__":
    main()
