"""Capturing a computation: the operators that one run of it used, so that it can run again without its Python or be
written to a file (docs/design/capture.md).

The seam is `recorder.py`: one dispatch mode that sees every aten operator (`Recorder`), one function mode that notices
when Python reads memory (`Reading`), one table of known tensors (`Identity`); `operators.py` says what an operator
writes to, gives views of, shows. Over it:

- ``step/``: a flat tape of a whole training step, in place writes and all, replayed in GRAPH_MODE and under `jit`;
- ``graph/``: a graph without side effects, of which `export` makes files and SummaryCollector its graph of operators;
- ``calls.py``: which layers a run called, for the graph of a network that cannot be captured.

What a program changes meanwhile it says to `_graph.program.program`.
"""
