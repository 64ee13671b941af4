"""`python -m footnote` is the command `footnote`."""

from footnote.cli import main

if __name__ == "__main__":
    main()
