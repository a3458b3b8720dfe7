"""A pytest plugin: ``pytest -p use_compat`` gives a library's tests this package under the name ``mindspore``."""

import mindspore_compat

mindspore_compat.install()
