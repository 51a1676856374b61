"""The command line: `novikoff --help`."""

from novikoff.cli.interruption import told_in_a_line

with told_in_a_line():  # most of the time before a command begins is spent here
    from novikoff.cli.app import app

__all__ = ["app"]
