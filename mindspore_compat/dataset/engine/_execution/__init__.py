"""The engine of pipelines: sessions and stages, threads, worker processes, columns (docs/design/dataset.md)."""
