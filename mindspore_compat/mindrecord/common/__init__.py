"""Exceptions of the MindRecord format."""
