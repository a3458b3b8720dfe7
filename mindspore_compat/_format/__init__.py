"""File formats: bytes to plain Python and numpy, and back, without torch. Bad input raises `FormatError`."""
