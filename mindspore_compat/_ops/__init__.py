"""Operators: one file a topic, with functions and classes. ``declare.py`` has the ways to declare them."""
