"""Public repositories with MindSpore code, run here and under real MindSpore."""
