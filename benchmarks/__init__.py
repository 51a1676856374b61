"""The same work, us and the peers, in one run: `make bench`."""
