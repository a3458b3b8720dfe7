"""The machinery of `train.serialization`: checkpoints, read, written, converted, cut and merged.

From below: `entries` (values to the entries of a file), `writing` (the file), `reading` (files to Parameters),
`redundancy` (shares of the processes in data parallel training), `lazy` (tensors that are read when they are written),
`folders` (shards and ranks), `files` (any kind of file or folder, read), `new_files` (the same, written); of cut
networks `strategy` (files), `layouts` (their content), `transform`, `unified` (safetensors of all ranks as one folder),
`distributed` (the values of one rank).
"""
