"""Ours starts. Nothing is changed but the seed and the number of workers: projects get mindspore_compat as it is."""

import alike

import mindspore_compat

alike.begin(mindspore_compat)
