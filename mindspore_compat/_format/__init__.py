"""Bytes to plain Python and numpy, and back. Knows neither torch nor policy; bad input raises `FormatError`."""
