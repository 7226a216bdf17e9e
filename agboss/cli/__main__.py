"""``python -m agboss.cli``: the same as ``agboss``."""

from agboss.cli import main

if __name__ == "__main__":
    main()
