"""A computation as a graph without side effects (docs/design/export.md): ``trace.py`` records, ``ir.py`` is the graph,
``explore.py`` runs what decides by values once for each outcome, ``loop_node.py`` and ``recurrent.py`` make one node of
many rounds, ``decompose*.py`` take operators apart.
"""
