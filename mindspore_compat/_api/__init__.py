"""Machinery of the shim: alias import, coverage table, runner, errors. Standard library only: it loads no torch."""
