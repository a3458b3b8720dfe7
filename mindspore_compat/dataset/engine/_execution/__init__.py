"""How a pipeline runs: sessions and stages, threads, worker processes, columns (docs/design/pipeline.md)."""
