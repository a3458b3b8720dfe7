"""Networks written for one device, run by several processes: their tensors are torch's DTensors
(docs/design/parallel.md).

Loaded when a network is first called so; torch.distributed.tensor takes 0.3 s and more to import.
"""
