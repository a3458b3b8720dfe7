"""Replay of a step as a tape of operators (docs/design/replay.md): ``replay.py`` decides when, ``tape.py`` records,
``compile.py`` makes a function of a tape, ``inductor.py`` has torch compile it, ``check.py`` compares replays with
Python.
"""
