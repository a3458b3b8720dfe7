"""The names of the package. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal

from mindspore_compat.numpy import array_creations as array_creations
from mindspore_compat.numpy import array_ops as array_ops
from mindspore_compat.numpy import dtypes as dtypes
from mindspore_compat.numpy import fft as fft
from mindspore_compat.numpy import logic_ops as logic_ops
from mindspore_compat.numpy import math_ops as math_ops
from mindspore_compat.numpy import utils as utils
from mindspore_compat.numpy._elementwise import around as around
from mindspore_compat.numpy._elementwise import clamp as clamp
from mindspore_compat.numpy._elementwise import clip as clip
from mindspore_compat.numpy._elementwise import divmod as divmod
from mindspore_compat.numpy._elementwise import fix as fix
from mindspore_compat.numpy._elementwise import round as round
from mindspore_compat.numpy._joining import append as append
from mindspore_compat.numpy._joining import array_split as array_split
from mindspore_compat.numpy._joining import chunk as chunk
from mindspore_compat.numpy._joining import column_stack as column_stack
from mindspore_compat.numpy._joining import concatenate as concatenate
from mindspore_compat.numpy._joining import dsplit as dsplit
from mindspore_compat.numpy._joining import dstack as dstack
from mindspore_compat.numpy._joining import hsplit as hsplit
from mindspore_compat.numpy._joining import hstack as hstack
from mindspore_compat.numpy._joining import split as split
from mindspore_compat.numpy._joining import stack as stack
from mindspore_compat.numpy._joining import vsplit as vsplit
from mindspore_compat.numpy._joining import vstack as vstack
from mindspore_compat.numpy._padding import pad as pad
from mindspore_compat.numpy._products import cross as cross
from mindspore_compat.numpy._products import dot as dot
from mindspore_compat.numpy._products import inner as inner
from mindspore_compat.numpy._products import kron as kron
from mindspore_compat.numpy._products import matmul as matmul
from mindspore_compat.numpy._products import matrix_power as matrix_power
from mindspore_compat.numpy._products import multi_dot as multi_dot
from mindspore_compat.numpy._products import outer as outer
from mindspore_compat.numpy._products import tensordot as tensordot
from mindspore_compat.numpy._statistics import bincount as bincount
from mindspore_compat.numpy._statistics import convolve as convolve
from mindspore_compat.numpy._statistics import corrcoef as corrcoef
from mindspore_compat.numpy._statistics import correlate as correlate
from mindspore_compat.numpy._statistics import cov as cov
from mindspore_compat.numpy._statistics import digitize as digitize
from mindspore_compat.numpy._statistics import histogram as histogram
from mindspore_compat.numpy._statistics import histogram2d as histogram2d
from mindspore_compat.numpy._statistics import histogramdd as histogramdd
from mindspore_compat.numpy._statistics import interp as interp
from mindspore_compat.numpy._statistics import searchsorted as searchsorted
from mindspore_compat.numpy._windows import bartlett as bartlett
from mindspore_compat.numpy._windows import blackman as blackman
from mindspore_compat.numpy._windows import hamming as hamming
from mindspore_compat.numpy._windows import hanning as hanning
from mindspore_compat.numpy._windows import rand as rand
from mindspore_compat.numpy._windows import randint as randint
from mindspore_compat.numpy._windows import randn as randn
from mindspore_compat.numpy.array_creations import arange as arange
from mindspore_compat.numpy.array_creations import array as array
from mindspore_compat.numpy.array_creations import asarray as asarray
from mindspore_compat.numpy.array_creations import asfarray as asfarray
from mindspore_compat.numpy.array_creations import copy as copy
from mindspore_compat.numpy.array_creations import diag as diag
from mindspore_compat.numpy.array_creations import diag_indices as diag_indices
from mindspore_compat.numpy.array_creations import diagflat as diagflat
from mindspore_compat.numpy.array_creations import diagonal as diagonal
from mindspore_compat.numpy.array_creations import empty as empty
from mindspore_compat.numpy.array_creations import empty_like as empty_like
from mindspore_compat.numpy.array_creations import eye as eye
from mindspore_compat.numpy.array_creations import full as full
from mindspore_compat.numpy.array_creations import full_like as full_like
from mindspore_compat.numpy.array_creations import geomspace as geomspace
from mindspore_compat.numpy.array_creations import histogram_bin_edges as histogram_bin_edges
from mindspore_compat.numpy.array_creations import identity as identity
from mindspore_compat.numpy.array_creations import indices as indices
from mindspore_compat.numpy.array_creations import ix_ as ix_
from mindspore_compat.numpy.array_creations import linspace as linspace
from mindspore_compat.numpy.array_creations import logspace as logspace
from mindspore_compat.numpy.array_creations import meshgrid as meshgrid
from mindspore_compat.numpy.array_creations import mgrid as mgrid
from mindspore_compat.numpy.array_creations import ogrid as ogrid
from mindspore_compat.numpy.array_creations import ones as ones
from mindspore_compat.numpy.array_creations import ones_like as ones_like
from mindspore_compat.numpy.array_creations import trace as trace
from mindspore_compat.numpy.array_creations import tri as tri
from mindspore_compat.numpy.array_creations import tril as tril
from mindspore_compat.numpy.array_creations import tril_indices as tril_indices
from mindspore_compat.numpy.array_creations import tril_indices_from as tril_indices_from
from mindspore_compat.numpy.array_creations import triu as triu
from mindspore_compat.numpy.array_creations import triu_indices as triu_indices
from mindspore_compat.numpy.array_creations import triu_indices_from as triu_indices_from
from mindspore_compat.numpy.array_creations import vander as vander
from mindspore_compat.numpy.array_creations import zeros as zeros
from mindspore_compat.numpy.array_creations import zeros_like as zeros_like
from mindspore_compat.numpy.array_ops import apply_along_axis as apply_along_axis
from mindspore_compat.numpy.array_ops import apply_over_axes as apply_over_axes
from mindspore_compat.numpy.array_ops import array_str as array_str
from mindspore_compat.numpy.array_ops import atleast_1d as atleast_1d
from mindspore_compat.numpy.array_ops import atleast_2d as atleast_2d
from mindspore_compat.numpy.array_ops import atleast_3d as atleast_3d
from mindspore_compat.numpy.array_ops import broadcast_arrays as broadcast_arrays
from mindspore_compat.numpy.array_ops import broadcast_to as broadcast_to
from mindspore_compat.numpy.array_ops import choose as choose
from mindspore_compat.numpy.array_ops import expand_dims as expand_dims
from mindspore_compat.numpy.array_ops import flip as flip
from mindspore_compat.numpy.array_ops import fliplr as fliplr
from mindspore_compat.numpy.array_ops import flipud as flipud
from mindspore_compat.numpy.array_ops import intersect1d as intersect1d
from mindspore_compat.numpy.array_ops import moveaxis as moveaxis
from mindspore_compat.numpy.array_ops import norm as norm
from mindspore_compat.numpy.array_ops import piecewise as piecewise
from mindspore_compat.numpy.array_ops import ravel as ravel
from mindspore_compat.numpy.array_ops import ravel_multi_index as ravel_multi_index
from mindspore_compat.numpy.array_ops import repeat as repeat
from mindspore_compat.numpy.array_ops import reshape as reshape
from mindspore_compat.numpy.array_ops import roll as roll
from mindspore_compat.numpy.array_ops import rollaxis as rollaxis
from mindspore_compat.numpy.array_ops import rot90 as rot90
from mindspore_compat.numpy.array_ops import select as select
from mindspore_compat.numpy.array_ops import setdiff1d as setdiff1d
from mindspore_compat.numpy.array_ops import shape as shape
from mindspore_compat.numpy.array_ops import size as size
from mindspore_compat.numpy.array_ops import squeeze as squeeze
from mindspore_compat.numpy.array_ops import swapaxes as swapaxes
from mindspore_compat.numpy.array_ops import take as take
from mindspore_compat.numpy.array_ops import take_along_axis as take_along_axis
from mindspore_compat.numpy.array_ops import tile as tile
from mindspore_compat.numpy.array_ops import transpose as transpose
from mindspore_compat.numpy.array_ops import unique as unique
from mindspore_compat.numpy.array_ops import unravel_index as unravel_index
from mindspore_compat.numpy.array_ops import where as where
from mindspore_compat.numpy.dtypes import NINF as NINF
from mindspore_compat.numpy.dtypes import PINF as PINF
from mindspore_compat.numpy.dtypes import bool_ as bool_
from mindspore_compat.numpy.dtypes import float16 as float16
from mindspore_compat.numpy.dtypes import float32 as float32
from mindspore_compat.numpy.dtypes import float64 as float64
from mindspore_compat.numpy.dtypes import float_ as float_
from mindspore_compat.numpy.dtypes import inf as inf
from mindspore_compat.numpy.dtypes import int16 as int16
from mindspore_compat.numpy.dtypes import int32 as int32
from mindspore_compat.numpy.dtypes import int64 as int64
from mindspore_compat.numpy.dtypes import int8 as int8
from mindspore_compat.numpy.dtypes import int_ as int_
from mindspore_compat.numpy.dtypes import nan as nan
from mindspore_compat.numpy.dtypes import numeric_types as numeric_types
from mindspore_compat.numpy.dtypes import pi as pi
from mindspore_compat.numpy.dtypes import uint as uint
from mindspore_compat.numpy.dtypes import uint16 as uint16
from mindspore_compat.numpy.dtypes import uint32 as uint32
from mindspore_compat.numpy.dtypes import uint64 as uint64
from mindspore_compat.numpy.dtypes import uint8 as uint8
from mindspore_compat.numpy.logic_ops import array_equal as array_equal
from mindspore_compat.numpy.logic_ops import array_equiv as array_equiv
from mindspore_compat.numpy.logic_ops import in1d as in1d
from mindspore_compat.numpy.logic_ops import isclose as isclose
from mindspore_compat.numpy.logic_ops import isin as isin
from mindspore_compat.numpy.logic_ops import isneginf as isneginf
from mindspore_compat.numpy.logic_ops import isposinf as isposinf
from mindspore_compat.numpy.logic_ops import isscalar as isscalar
from mindspore_compat.numpy.logic_ops import sometrue as sometrue
from mindspore_compat.numpy.math_ops import amax as amax
from mindspore_compat.numpy.math_ops import amin as amin
from mindspore_compat.numpy.math_ops import argmax as argmax
from mindspore_compat.numpy.math_ops import argmin as argmin
from mindspore_compat.numpy.math_ops import argwhere as argwhere
from mindspore_compat.numpy.math_ops import average as average
from mindspore_compat.numpy.math_ops import count_nonzero as count_nonzero
from mindspore_compat.numpy.math_ops import cumprod as cumprod
from mindspore_compat.numpy.math_ops import cumsum as cumsum
from mindspore_compat.numpy.math_ops import diff as diff
from mindspore_compat.numpy.math_ops import ediff1d as ediff1d
from mindspore_compat.numpy.math_ops import gradient as gradient
from mindspore_compat.numpy.math_ops import max as max
from mindspore_compat.numpy.math_ops import mean as mean
from mindspore_compat.numpy.math_ops import min as min
from mindspore_compat.numpy.math_ops import nancumsum as nancumsum
from mindspore_compat.numpy.math_ops import nanmax as nanmax
from mindspore_compat.numpy.math_ops import nanmean as nanmean
from mindspore_compat.numpy.math_ops import nanmin as nanmin
from mindspore_compat.numpy.math_ops import nanstd as nanstd
from mindspore_compat.numpy.math_ops import nansum as nansum
from mindspore_compat.numpy.math_ops import nanvar as nanvar
from mindspore_compat.numpy.math_ops import polyadd as polyadd
from mindspore_compat.numpy.math_ops import polyder as polyder
from mindspore_compat.numpy.math_ops import polyint as polyint
from mindspore_compat.numpy.math_ops import polymul as polymul
from mindspore_compat.numpy.math_ops import polysub as polysub
from mindspore_compat.numpy.math_ops import polyval as polyval
from mindspore_compat.numpy.math_ops import promote_types as promote_types
from mindspore_compat.numpy.math_ops import ptp as ptp
from mindspore_compat.numpy.math_ops import result_type as result_type
from mindspore_compat.numpy.math_ops import std as std
from mindspore_compat.numpy.math_ops import sum as sum
from mindspore_compat.numpy.math_ops import trapz as trapz
from mindspore_compat.numpy.math_ops import unwrap as unwrap
from mindspore_compat.numpy.math_ops import var as var
__all__ = ['NINF', 'PINF', 'abs', 'absolute', 'add', 'amax', 'amin', 'append', 'apply_along_axis', 'apply_over_axes', 'arange', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'argmax', 'argmin', 'argwhere', 'around', 'array', 'array_equal', 'array_equiv', 'array_split', 'array_str', 'asarray', 'asfarray', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'average', 'bartlett', 'bincount', 'bitwise_and', 'bitwise_not', 'bitwise_or', 'bitwise_xor', 'blackman', 'bool_', 'broadcast_arrays', 'broadcast_to', 'cbrt', 'ceil', 'choose', 'chunk', 'clamp', 'clip', 'column_stack', 'concatenate', 'convolve', 'copy', 'copysign', 'corrcoef', 'correlate', 'cos', 'cosh', 'count_nonzero', 'cov', 'cross', 'cumprod', 'cumsum', 'deg2rad', 'diag', 'diag_indices', 'diagflat', 'diagonal', 'diff', 'digitize', 'divide', 'divmod', 'dot', 'dsplit', 'dstack', 'ediff1d', 'empty', 'empty_like', 'equal', 'exp', 'exp2', 'expand_dims', 'expm1', 'eye', 'fabs', 'fft', 'fix', 'flip', 'fliplr', 'flipud', 'float16', 'float32', 'float64', 'float_', 'float_power', 'floor', 'floor_divide', 'fmod', 'full', 'full_like', 'gcd', 'geomspace', 'gradient', 'greater', 'greater_equal', 'hamming', 'hanning', 'heaviside', 'histogram', 'histogram2d', 'histogram_bin_edges', 'histogramdd', 'hsplit', 'hstack', 'hypot', 'identity', 'in1d', 'indices', 'inf', 'inner', 'int16', 'int32', 'int64', 'int8', 'int_', 'interp', 'intersect1d', 'invert', 'isclose', 'isfinite', 'isin', 'isinf', 'isnan', 'isneginf', 'isposinf', 'isscalar', 'ix_', 'kron', 'lcm', 'less', 'less_equal', 'linspace', 'log', 'log10', 'log1p', 'log2', 'logaddexp', 'logaddexp2', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'logspace', 'matmul', 'matrix_power', 'max', 'maximum', 'mean', 'meshgrid', 'mgrid', 'min', 'minimum', 'mod', 'moveaxis', 'multi_dot', 'multiply', 'nan', 'nancumsum', 'nanmax', 'nanmean', 'nanmin', 'nanstd', 'nansum', 'nanvar', 'negative', 'norm', 'not_equal', 'numeric_types', 'ogrid', 'ones', 'ones_like', 'outer', 'pad', 'pi', 'piecewise', 'polyadd', 'polyder', 'polyint', 'polymul', 'polysub', 'polyval', 'positive', 'power', 'promote_types', 'ptp', 'rad2deg', 'radians', 'rand', 'randint', 'randn', 'ravel', 'ravel_multi_index', 'reciprocal', 'remainder', 'repeat', 'reshape', 'result_type', 'rint', 'roll', 'rollaxis', 'rot90', 'round', 'searchsorted', 'select', 'setdiff1d', 'shape', 'sign', 'signbit', 'sin', 'sinh', 'size', 'sometrue', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'subtract', 'sum', 'swapaxes', 'take', 'take_along_axis', 'tan', 'tanh', 'tensordot', 'tile', 'trace', 'transpose', 'trapz', 'tri', 'tril', 'tril_indices', 'tril_indices_from', 'triu', 'triu_indices', 'triu_indices_from', 'true_divide', 'trunc', 'uint', 'uint16', 'uint32', 'uint64', 'uint8', 'unique', 'unravel_index', 'unwrap', 'vander', 'var', 'vsplit', 'vstack', 'where', 'zeros', 'zeros_like']

def abs(x: Any, dtype: Any = None) -> Any:
    """numpy's ``abs``, element by element."""

def absolute(x: Any, dtype: Any = None) -> Any:
    """numpy's ``absolute``, element by element."""

def add(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``add``, element by element."""

def arccos(input: Any, dtype: Any = None) -> Any:
    """numpy's ``arccos``, element by element."""

def arccosh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``arccosh``, element by element."""

def arcsin(x: Any, dtype: Any = None) -> Any:
    """numpy's ``arcsin``, element by element."""

def arcsinh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``arcsinh``, element by element."""

def arctan(x: Any, dtype: Any = None) -> Any:
    """numpy's ``arctan``, element by element."""

def arctan2(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``arctan2``, element by element."""

def arctanh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``arctanh``, element by element."""

def bitwise_and(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``bitwise_and``, element by element."""

def bitwise_not(x: Any, dtype: Any = None) -> Any:
    """numpy's ``bitwise_not``, element by element."""

def bitwise_or(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``bitwise_or``, element by element."""

def bitwise_xor(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``bitwise_xor``, element by element."""

def cbrt(x: Any, dtype: Any = None) -> Any:
    """numpy's ``cbrt``, element by element."""

def ceil(x: Any, dtype: Any = None) -> Any:
    """numpy's ``ceil``, element by element."""

def copysign(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``copysign``, element by element."""

def cos(x: Any, dtype: Any = None) -> Any:
    """numpy's ``cos``, element by element."""

def cosh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``cosh``, element by element."""

def deg2rad(x: Any, dtype: Any = None) -> Any:
    """numpy's ``deg2rad``, element by element."""

def divide(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``divide``, element by element."""

def equal(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``equal``, element by element."""

def exp(x: Any, dtype: Any = None) -> Any:
    """numpy's ``exp``, element by element."""

def exp2(x: Any, dtype: Any = None) -> Any:
    """numpy's ``exp2``, element by element."""

def expm1(x: Any, dtype: Any = None) -> Any:
    """numpy's ``expm1``, element by element."""

def fabs(x: Any, dtype: Any = None) -> Any:
    """numpy's ``fabs``, element by element."""

def float_power(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``float_power``, element by element."""

def floor(x: Any, dtype: Any = None) -> Any:
    """numpy's ``floor``, element by element."""

def floor_divide(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``floor_divide``, element by element."""

def fmod(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``fmod``, element by element."""

def gcd(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``gcd``, element by element."""

def greater(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``greater``, element by element."""

def greater_equal(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``greater_equal``, element by element."""

def heaviside(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``heaviside``, element by element."""

def hypot(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``hypot``, element by element."""

def invert(x: Any, dtype: Any = None) -> Any:
    """numpy's ``invert``, element by element."""

def isfinite(x: Any, dtype: Any = None) -> Any:
    """numpy's ``isfinite``, element by element."""

def isinf(x: Any, dtype: Any = None) -> Any:
    """numpy's ``isinf``, element by element."""

def isnan(x: Any, dtype: Any = None) -> Any:
    """numpy's ``isnan``, element by element."""

def lcm(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``lcm``, element by element."""

def less(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``less``, element by element."""

def less_equal(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``less_equal``, element by element."""

def log(x: Any, dtype: Any = None) -> Any:
    """numpy's ``log``, element by element."""

def log10(x: Any, dtype: Any = None) -> Any:
    """numpy's ``log10``, element by element."""

def log1p(x: Any, dtype: Any = None) -> Any:
    """numpy's ``log1p``, element by element."""

def log2(x: Any, dtype: Any = None) -> Any:
    """numpy's ``log2``, element by element."""

def logaddexp(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``logaddexp``, element by element."""

def logaddexp2(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``logaddexp2``, element by element."""

def logical_and(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``logical_and``, element by element."""

def logical_not(a: Any, dtype: Any = None) -> Any:
    """numpy's ``logical_not``, element by element."""

def logical_or(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``logical_or``, element by element."""

def logical_xor(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``logical_xor``, element by element."""

def maximum(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``maximum``, element by element."""

def minimum(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``minimum``, element by element."""

def mod(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``mod``, element by element."""

def multiply(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``multiply``, element by element."""

def negative(a: Any, dtype: Any = None) -> Any:
    """numpy's ``negative``, element by element."""

def not_equal(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``not_equal``, element by element."""

def positive(a: Any, dtype: Any = None) -> Any:
    """numpy's ``positive``, element by element."""

def power(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``power``, element by element."""

def rad2deg(x: Any, dtype: Any = None) -> Any:
    """numpy's ``rad2deg``, element by element."""

def radians(x: Any, dtype: Any = None) -> Any:
    """numpy's ``radians``, element by element."""

def reciprocal(x: Any, dtype: Any = None) -> Any:
    """numpy's ``reciprocal``, element by element."""

def remainder(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``remainder``, element by element."""

def rint(x: Any, dtype: Any = None) -> Any:
    """numpy's ``rint``, element by element."""

def sign(x: Any, dtype: Any = None) -> Any:
    """numpy's ``sign``, element by element."""

def signbit(x: Any, dtype: Any = None) -> Any:
    """numpy's ``signbit``, element by element."""

def sin(x: Any, dtype: Any = None) -> Any:
    """numpy's ``sin``, element by element."""

def sinh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``sinh``, element by element."""

def sqrt(x: Any, dtype: Any = None) -> Any:
    """numpy's ``sqrt``, element by element."""

def square(x: Any, dtype: Any = None) -> Any:
    """numpy's ``square``, element by element."""

def subtract(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``subtract``, element by element."""

def tan(x: Any, dtype: Any = None) -> Any:
    """numpy's ``tan``, element by element."""

def tanh(x: Any, dtype: Any = None) -> Any:
    """numpy's ``tanh``, element by element."""

def true_divide(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """numpy's ``true_divide``, element by element."""

def trunc(x: Any, dtype: Any = None) -> Any:
    """numpy's ``trunc``, element by element."""
