"""Generator states, random streams and initial values."""
