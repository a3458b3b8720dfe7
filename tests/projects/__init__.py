"""Published projects run to their end: each one's own scripts, unchanged, on tiny data, here and under real MindSpore.

    python -m tests.projects --models CHECKOUT [--oracle PYTHON] [names …] [--store FOLDER] [--write]

A recipe (``recipes/``, one file a kind) says where a project is, which data it wants, its arguments and its stages;
``run.py`` copies, makes, runs and records; ``report.py`` writes docs/projects.md. No line of any project is kept here,
and none is changed for ours: what ``real`` lists in a recipe is changed for real MindSpore only, where 2.10 lacks what
the project was written for.
"""
