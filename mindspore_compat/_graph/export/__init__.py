"""Graph without side effects of a computation (docs/design/export.md). ``trace.py`` records, ``ir.py`` is the graph.
``explore.py`` runs value-dependent decisions once for each outcome. ``loop_node.py`` makes one node
of many rounds. ``decompose*.py`` decompose operators.
"""
