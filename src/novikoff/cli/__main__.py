"""`python -m novikoff.cli`."""

from novikoff.cli import app

app(prog_name="novikoff")
