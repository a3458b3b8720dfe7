"""Machinery below the API that has no counterpart upstream: devices, writer process, compiled extension."""
