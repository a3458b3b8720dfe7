"""Networks written for one device, run by several processes: their tensors are torch's DTensors
(docs/design/parallel.md).
"""
