"""A `mindspore` in which every module and name exists and nothing is done: what passes on it measures nothing."""

import importlib.abc
import importlib.machinery
import sys
import types


class _Nothing(type):
    """Classes and, through them, values that answer everything with themselves."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __iter__(cls):
        return iter(())


class Nothing(metaclass=_Nothing):
    """Can be called, subclassed, used as a decorator, an operand, a context; gives itself."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def _same(self, *other):
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _same
    __neg__ = __pow__ = __rpow__ = __mod__ = __floordiv__ = __and__ = __or__ = __invert__ = _same


class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname == "mindspore" or fullname.startswith("mindspore."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def install():
    """In front of all other finders."""
    sys.meta_path.insert(0, _Finder())
