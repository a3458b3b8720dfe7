"""Checkpoints: saving, loading, converting, cutting, merging. `train.serialization` exports the public names.

From below: `entries` (values to the entries of a file), `reading` (files to Parameters), `save`, `load`, `into_net`
(the public functions), `redundancy` (shares of the processes in data parallel training), `lazy` (tensors that are
read when they are written), `folders` (shards and ranks), `files` (any kind of file or folder, read), `new_files` (the
same, written), `convert`; of cut networks `strategy` (files), `layouts` (their content), `ranks` (the file of a rank),
`transform`, `unified` (safetensors of all ranks as one folder), `distributed` (into a network).
"""
