"""Configuration, argument checks and seeds of the data pipeline."""
