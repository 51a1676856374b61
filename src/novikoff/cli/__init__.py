"""The command line: `novikoff --help`."""

from novikoff.cli.app import app

__all__ = ["app"]
