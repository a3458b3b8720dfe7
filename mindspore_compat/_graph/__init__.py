"""Captures: the operators of one run, recorded to run again without Python or to be written to a file
(docs/design/replay.md).

`recorder.py` is the common base: one dispatch mode that sees every aten operator (`Recorder`), one function mode that
notices when Python reads memory (`Reading`), one table of known tensors (`Identity`). `operators.py` describes
operators: writes, views, values that Python sees. Built on it:

- ``replay/``: a flat tape of a whole training step with its in-place writes, replayed in GRAPH_MODE and under `jit`;
- ``export/``: a graph without side effects, for `export` and SummaryCollector's graph of operators;
- ``calls.py``: the layers that a run called, for the graph of a network that cannot be captured.

The program reports its changes to `_graph.program.program`.
"""
