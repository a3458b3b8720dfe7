"""Machinery below the API that has no counterpart MindSpore: devices, writer process, compiled extension."""
