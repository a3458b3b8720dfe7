"""Networks for one device in several processes: their tensors are torch's DTensors (docs/design/parallel.md)."""
