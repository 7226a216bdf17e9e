"""The benchmark: a gate of agboss against the same gate written by hand. `make bench`, or `python -m bench --quick`."""
