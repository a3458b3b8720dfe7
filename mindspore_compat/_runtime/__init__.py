"""Machinery below the API without a counterpart in MindSpore: devices, writer process, compiled extension."""
