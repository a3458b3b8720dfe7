"""The names of the package. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal

from mindspore_compat._graph.mutable import isconstant as isconstant
from mindspore_compat.ops.function import array_func as array_func
from mindspore_compat.ops.function import clip_func as clip_func
from mindspore_compat.ops.function import debug_func as debug_func
from mindspore_compat.ops.function import fft_func as fft_func
from mindspore_compat.ops.function import image_func as image_func
from mindspore_compat.ops.function import linalg_func as linalg_func
from mindspore_compat.ops.function import math_func as math_func
from mindspore_compat.ops.function import nn_func as nn_func
from mindspore_compat.ops.function import other_func as other_func
from mindspore_compat.ops.function import random_func as random_func
from mindspore_compat.ops.function import sparse_func as sparse_func
from mindspore_compat.ops.function._activation import celu as celu
from mindspore_compat.ops.function._activation import elu as elu
from mindspore_compat.ops.function._activation import embedding as embedding
from mindspore_compat.ops.function._activation import fast_gelu as fast_gelu
from mindspore_compat.ops.function._activation import gelu as gelu
from mindspore_compat.ops.function._activation import glu as glu
from mindspore_compat.ops.function._activation import gumbel_softmax as gumbel_softmax
from mindspore_compat.ops.function._activation import hardshrink as hardshrink
from mindspore_compat.ops.function._activation import hardsigmoid as hardsigmoid
from mindspore_compat.ops.function._activation import hardswish as hardswish
from mindspore_compat.ops.function._activation import hardtanh as hardtanh
from mindspore_compat.ops.function._activation import inplace_sigmoid as inplace_sigmoid
from mindspore_compat.ops.function._activation import leaky_relu as leaky_relu
from mindspore_compat.ops.function._activation import log_softmax as log_softmax
from mindspore_compat.ops.function._activation import logsigmoid as logsigmoid
from mindspore_compat.ops.function._activation import mish as mish
from mindspore_compat.ops.function._activation import prelu as prelu
from mindspore_compat.ops.function._activation import relu as relu
from mindspore_compat.ops.function._activation import relu6 as relu6
from mindspore_compat.ops.function._activation import rrelu as rrelu
from mindspore_compat.ops.function._activation import selu as selu
from mindspore_compat.ops.function._activation import sigmoid as sigmoid
from mindspore_compat.ops.function._activation import silu as silu
from mindspore_compat.ops.function._activation import soft_shrink as soft_shrink
from mindspore_compat.ops.function._activation import softmax as softmax
from mindspore_compat.ops.function._activation import softmax_axes as softmax_axes
from mindspore_compat.ops.function._activation import softmin as softmin
from mindspore_compat.ops.function._activation import softplus as softplus
from mindspore_compat.ops.function._activation import softshrink as softshrink
from mindspore_compat.ops.function._activation import softsign as softsign
from mindspore_compat.ops.function._activation import swiglu as swiglu
from mindspore_compat.ops.function._activation import tanh as tanh
from mindspore_compat.ops.function._activation import tanh_ as tanh_
from mindspore_compat.ops.function._activation import tanhshrink as tanhshrink
from mindspore_compat.ops.function._activation import threshold as threshold
from mindspore_compat.ops.function._arithmetic import accumulate_n as accumulate_n
from mindspore_compat.ops.function._arithmetic import add as add
from mindspore_compat.ops.function._arithmetic import addcdiv as addcdiv
from mindspore_compat.ops.function._arithmetic import addcmul as addcmul
from mindspore_compat.ops.function._arithmetic import addn as addn
from mindspore_compat.ops.function._arithmetic import approximate_equal as approximate_equal
from mindspore_compat.ops.function._arithmetic import arctan2 as arctan2
from mindspore_compat.ops.function._arithmetic import atan2 as atan2
from mindspore_compat.ops.function._arithmetic import bitwise_and as bitwise_and
from mindspore_compat.ops.function._arithmetic import bitwise_left_shift as bitwise_left_shift
from mindspore_compat.ops.function._arithmetic import bitwise_or as bitwise_or
from mindspore_compat.ops.function._arithmetic import bitwise_right_shift as bitwise_right_shift
from mindspore_compat.ops.function._arithmetic import bitwise_xor as bitwise_xor
from mindspore_compat.ops.function._arithmetic import complex as complex
from mindspore_compat.ops.function._arithmetic import copysign as copysign
from mindspore_compat.ops.function._arithmetic import div as div
from mindspore_compat.ops.function._arithmetic import div_no_nan as div_no_nan
from mindspore_compat.ops.function._arithmetic import divide as divide
from mindspore_compat.ops.function._arithmetic import eq as eq
from mindspore_compat.ops.function._arithmetic import equal as equal
from mindspore_compat.ops.function._arithmetic import erfinv_ as erfinv_
from mindspore_compat.ops.function._arithmetic import float_power as float_power
from mindspore_compat.ops.function._arithmetic import float_power_ext as float_power_ext
from mindspore_compat.ops.function._arithmetic import floor_div as floor_div
from mindspore_compat.ops.function._arithmetic import floor_divide as floor_divide
from mindspore_compat.ops.function._arithmetic import floor_mod as floor_mod
from mindspore_compat.ops.function._arithmetic import floordiv as floordiv
from mindspore_compat.ops.function._arithmetic import floormod as floormod
from mindspore_compat.ops.function._arithmetic import fmax as fmax
from mindspore_compat.ops.function._arithmetic import fmin as fmin
from mindspore_compat.ops.function._arithmetic import fmod as fmod
from mindspore_compat.ops.function._arithmetic import gcd as gcd
from mindspore_compat.ops.function._arithmetic import ge as ge
from mindspore_compat.ops.function._arithmetic import greater as greater
from mindspore_compat.ops.function._arithmetic import greater_equal as greater_equal
from mindspore_compat.ops.function._arithmetic import gt as gt
from mindspore_compat.ops.function._arithmetic import heaviside as heaviside
from mindspore_compat.ops.function._arithmetic import hypot as hypot
from mindspore_compat.ops.function._arithmetic import igamma as igamma
from mindspore_compat.ops.function._arithmetic import igammac as igammac
from mindspore_compat.ops.function._arithmetic import inv as inv
from mindspore_compat.ops.function._arithmetic import isclose as isclose
from mindspore_compat.ops.function._arithmetic import isnan_ext as isnan_ext
from mindspore_compat.ops.function._arithmetic import lcm as lcm
from mindspore_compat.ops.function._arithmetic import ldexp as ldexp
from mindspore_compat.ops.function._arithmetic import le as le
from mindspore_compat.ops.function._arithmetic import lerp as lerp
from mindspore_compat.ops.function._arithmetic import less as less
from mindspore_compat.ops.function._arithmetic import less_equal as less_equal
from mindspore_compat.ops.function._arithmetic import logaddexp as logaddexp
from mindspore_compat.ops.function._arithmetic import logaddexp2 as logaddexp2
from mindspore_compat.ops.function._arithmetic import logical_and as logical_and
from mindspore_compat.ops.function._arithmetic import logical_or as logical_or
from mindspore_compat.ops.function._arithmetic import logical_xor as logical_xor
from mindspore_compat.ops.function._arithmetic import lt as lt
from mindspore_compat.ops.function._arithmetic import maximum as maximum
from mindspore_compat.ops.function._arithmetic import minimum as minimum
from mindspore_compat.ops.function._arithmetic import mod as mod
from mindspore_compat.ops.function._arithmetic import mul as mul
from mindspore_compat.ops.function._arithmetic import mul_no_nan as mul_no_nan
from mindspore_compat.ops.function._arithmetic import multiply as multiply
from mindspore_compat.ops.function._arithmetic import ne as ne
from mindspore_compat.ops.function._arithmetic import nextafter as nextafter
from mindspore_compat.ops.function._arithmetic import not_equal as not_equal
from mindspore_compat.ops.function._arithmetic import polar as polar
from mindspore_compat.ops.function._arithmetic import pow as pow
from mindspore_compat.ops.function._arithmetic import pows as pows
from mindspore_compat.ops.function._arithmetic import real_div as real_div
from mindspore_compat.ops.function._arithmetic import remainder as remainder
from mindspore_compat.ops.function._arithmetic import squared_difference as squared_difference
from mindspore_compat.ops.function._arithmetic import sub as sub
from mindspore_compat.ops.function._arithmetic import subtract as subtract
from mindspore_compat.ops.function._arithmetic import tensor_add as tensor_add
from mindspore_compat.ops.function._arithmetic import tensor_div as tensor_div
from mindspore_compat.ops.function._arithmetic import tensor_exp as tensor_exp
from mindspore_compat.ops.function._arithmetic import tensor_expm1 as tensor_expm1
from mindspore_compat.ops.function._arithmetic import tensor_floordiv as tensor_floordiv
from mindspore_compat.ops.function._arithmetic import tensor_ge as tensor_ge
from mindspore_compat.ops.function._arithmetic import tensor_gt as tensor_gt
from mindspore_compat.ops.function._arithmetic import tensor_le as tensor_le
from mindspore_compat.ops.function._arithmetic import tensor_lt as tensor_lt
from mindspore_compat.ops.function._arithmetic import tensor_mod as tensor_mod
from mindspore_compat.ops.function._arithmetic import tensor_mul as tensor_mul
from mindspore_compat.ops.function._arithmetic import tensor_muls as tensor_muls
from mindspore_compat.ops.function._arithmetic import tensor_pow as tensor_pow
from mindspore_compat.ops.function._arithmetic import tensor_sub as tensor_sub
from mindspore_compat.ops.function._arithmetic import true_divide as true_divide
from mindspore_compat.ops.function._arithmetic import truncate_div as truncate_div
from mindspore_compat.ops.function._arithmetic import truncate_mod as truncate_mod
from mindspore_compat.ops.function._arithmetic import xdivy as xdivy
from mindspore_compat.ops.function._arithmetic import xlogy as xlogy
from mindspore_compat.ops.function._arithmetic import zeta as zeta
from mindspore_compat.ops.function._attention import ALL_TOKENS as ALL_TOKENS
from mindspore_compat.ops.function._attention import flash_attention_outputs as flash_attention_outputs
from mindspore_compat.ops.function._attention import flash_attention_score as flash_attention_score
from mindspore_compat.ops.function._attention import speed_fusion_attention as speed_fusion_attention
from mindspore_compat.ops.function._attention_fused import fused_infer_attention_score as fused_infer_attention_score
from mindspore_compat.ops.function._attention_inference import incre_flash_attention as incre_flash_attention
from mindspore_compat.ops.function._attention_inference import paged_attention as paged_attention
from mindspore_compat.ops.function._attention_inference import prompt_flash_attention as prompt_flash_attention
from mindspore_compat.ops.function._attention_inference import reshape_and_cache as reshape_and_cache
from mindspore_compat.ops.function._bands import matrix_diag as matrix_diag
from mindspore_compat.ops.function._bands import matrix_diag_part as matrix_diag_part
from mindspore_compat.ops.function._bands import matrix_set_diag as matrix_set_diag
from mindspore_compat.ops.function._conv import col2im as col2im
from mindspore_compat.ops.function._conv import conv1d as conv1d
from mindspore_compat.ops.function._conv import conv2d as conv2d
from mindspore_compat.ops.function._conv import conv3d as conv3d
from mindspore_compat.ops.function._conv import conv3d_transpose as conv3d_transpose
from mindspore_compat.ops.function._conv import conv_nd as conv_nd
from mindspore_compat.ops.function._conv import conv_transpose2d as conv_transpose2d
from mindspore_compat.ops.function._conv import conv_transpose_nd as conv_transpose_nd
from mindspore_compat.ops.function._conv import fold as fold
from mindspore_compat.ops.function._conv import same_padding as same_padding
from mindspore_compat.ops.function._conv import sizes_of as sizes_of
from mindspore_compat.ops.function._conv import unfold as unfold
from mindspore_compat.ops.function._creation import arange as arange
from mindspore_compat.ops.function._creation import bartlett_window as bartlett_window
from mindspore_compat.ops.function._creation import blackman_window as blackman_window
from mindspore_compat.ops.function._creation import block_diag as block_diag
from mindspore_compat.ops.function._creation import cartesian_prod as cartesian_prod
from mindspore_compat.ops.function._creation import cast as cast
from mindspore_compat.ops.function._creation import combinations as combinations
from mindspore_compat.ops.function._creation import deepcopy as deepcopy
from mindspore_compat.ops.function._creation import diag as diag
from mindspore_compat.ops.function._creation import diag_embed as diag_embed
from mindspore_compat.ops.function._creation import diagflat as diagflat
from mindspore_compat.ops.function._creation import eye as eye
from mindspore_compat.ops.function._creation import fill as fill
from mindspore_compat.ops.function._creation import fills as fills
from mindspore_compat.ops.function._creation import full as full
from mindspore_compat.ops.function._creation import full_like as full_like
from mindspore_compat.ops.function._creation import hamming_window as hamming_window
from mindspore_compat.ops.function._creation import hann_window as hann_window
from mindspore_compat.ops.function._creation import kaiser_window as kaiser_window
from mindspore_compat.ops.function._creation import linspace as linspace
from mindspore_compat.ops.function._creation import logspace as logspace
from mindspore_compat.ops.function._creation import meshgrid as meshgrid
from mindspore_compat.ops.function._creation import one_hot as one_hot
from mindspore_compat.ops.function._creation import ones as ones
from mindspore_compat.ops.function._creation import ones_like as ones_like
from mindspore_compat.ops.function._creation import range as range
from mindspore_compat.ops.function._creation import scalar_cast as scalar_cast
from mindspore_compat.ops.function._creation import scalar_to_array as scalar_to_array
from mindspore_compat.ops.function._creation import scalar_to_tensor as scalar_to_tensor
from mindspore_compat.ops.function._creation import sequence_mask as sequence_mask
from mindspore_compat.ops.function._creation import tensor_range as tensor_range
from mindspore_compat.ops.function._creation import tril_indices as tril_indices
from mindspore_compat.ops.function._creation import triu_indices as triu_indices
from mindspore_compat.ops.function._creation import tuple_to_array as tuple_to_array
from mindspore_compat.ops.function._creation import type_as as type_as
from mindspore_compat.ops.function._creation import vander as vander
from mindspore_compat.ops.function._creation import zero_ as zero_
from mindspore_compat.ops.function._creation import zeros as zeros
from mindspore_compat.ops.function._creation import zeros_like as zeros_like
from mindspore_compat.ops.function._ctc import ctc_greedy_decoder as ctc_greedy_decoder
from mindspore_compat.ops.function._ctc import ctc_loss as ctc_loss
from mindspore_compat.ops.function._ctc import ctc_loss_outputs as ctc_loss_outputs
from mindspore_compat.ops.function._dropout import channel_mask as channel_mask
from mindspore_compat.ops.function._dropout import draws_by_engine as draws_by_engine
from mindspore_compat.ops.function._dropout import dropout as dropout
from mindspore_compat.ops.function._dropout import dropout1d as dropout1d
from mindspore_compat.ops.function._dropout import dropout2d as dropout2d
from mindspore_compat.ops.function._dropout import dropout3d as dropout3d
from mindspore_compat.ops.function._dropout import dropout_stream as dropout_stream
from mindspore_compat.ops.function._dropout import dropout_with_mask as dropout_with_mask
from mindspore_compat.ops.function._dropout import dropped as dropped
from mindspore_compat.ops.function._elementwise import abs as abs
from mindspore_compat.ops.function._elementwise import absolute as absolute
from mindspore_compat.ops.function._elementwise import acos as acos
from mindspore_compat.ops.function._elementwise import acosh as acosh
from mindspore_compat.ops.function._elementwise import angle as angle
from mindspore_compat.ops.function._elementwise import arccos as arccos
from mindspore_compat.ops.function._elementwise import arccosh as arccosh
from mindspore_compat.ops.function._elementwise import arcsin as arcsin
from mindspore_compat.ops.function._elementwise import arcsinh as arcsinh
from mindspore_compat.ops.function._elementwise import arctan as arctan
from mindspore_compat.ops.function._elementwise import arctanh as arctanh
from mindspore_compat.ops.function._elementwise import asin as asin
from mindspore_compat.ops.function._elementwise import asinh as asinh
from mindspore_compat.ops.function._elementwise import atan as atan
from mindspore_compat.ops.function._elementwise import atanh as atanh
from mindspore_compat.ops.function._elementwise import bessel_i0 as bessel_i0
from mindspore_compat.ops.function._elementwise import bessel_i0e as bessel_i0e
from mindspore_compat.ops.function._elementwise import bessel_i1 as bessel_i1
from mindspore_compat.ops.function._elementwise import bessel_i1e as bessel_i1e
from mindspore_compat.ops.function._elementwise import bessel_j0 as bessel_j0
from mindspore_compat.ops.function._elementwise import bessel_j1 as bessel_j1
from mindspore_compat.ops.function._elementwise import bessel_k0 as bessel_k0
from mindspore_compat.ops.function._elementwise import bessel_k0e as bessel_k0e
from mindspore_compat.ops.function._elementwise import bessel_k1 as bessel_k1
from mindspore_compat.ops.function._elementwise import bessel_k1e as bessel_k1e
from mindspore_compat.ops.function._elementwise import bessel_y0 as bessel_y0
from mindspore_compat.ops.function._elementwise import bessel_y1 as bessel_y1
from mindspore_compat.ops.function._elementwise import bitwise_not as bitwise_not
from mindspore_compat.ops.function._elementwise import ceil as ceil
from mindspore_compat.ops.function._elementwise import conj as conj
from mindspore_compat.ops.function._elementwise import cos as cos
from mindspore_compat.ops.function._elementwise import cosh as cosh
from mindspore_compat.ops.function._elementwise import deg2rad as deg2rad
from mindspore_compat.ops.function._elementwise import digamma as digamma
from mindspore_compat.ops.function._elementwise import eps as eps
from mindspore_compat.ops.function._elementwise import erf as erf
from mindspore_compat.ops.function._elementwise import erfc as erfc
from mindspore_compat.ops.function._elementwise import erfinv as erfinv
from mindspore_compat.ops.function._elementwise import exp as exp
from mindspore_compat.ops.function._elementwise import exp2 as exp2
from mindspore_compat.ops.function._elementwise import expm1 as expm1
from mindspore_compat.ops.function._elementwise import floor as floor
from mindspore_compat.ops.function._elementwise import frac as frac
from mindspore_compat.ops.function._elementwise import i0 as i0
from mindspore_compat.ops.function._elementwise import imag as imag
from mindspore_compat.ops.function._elementwise import invert as invert
from mindspore_compat.ops.function._elementwise import is_complex as is_complex
from mindspore_compat.ops.function._elementwise import is_floating_point as is_floating_point
from mindspore_compat.ops.function._elementwise import is_nonzero as is_nonzero
from mindspore_compat.ops.function._elementwise import isfinite as isfinite
from mindspore_compat.ops.function._elementwise import isinf as isinf
from mindspore_compat.ops.function._elementwise import isnan as isnan
from mindspore_compat.ops.function._elementwise import isneginf as isneginf
from mindspore_compat.ops.function._elementwise import isposinf as isposinf
from mindspore_compat.ops.function._elementwise import isreal as isreal
from mindspore_compat.ops.function._elementwise import lgamma as lgamma
from mindspore_compat.ops.function._elementwise import log as log
from mindspore_compat.ops.function._elementwise import log10 as log10
from mindspore_compat.ops.function._elementwise import log1p as log1p
from mindspore_compat.ops.function._elementwise import log2 as log2
from mindspore_compat.ops.function._elementwise import logical_not as logical_not
from mindspore_compat.ops.function._elementwise import logit as logit
from mindspore_compat.ops.function._elementwise import mvlgamma as mvlgamma
from mindspore_compat.ops.function._elementwise import nan_to_num as nan_to_num
from mindspore_compat.ops.function._elementwise import neg as neg
from mindspore_compat.ops.function._elementwise import negative as negative
from mindspore_compat.ops.function._elementwise import polygamma as polygamma
from mindspore_compat.ops.function._elementwise import population_count as population_count
from mindspore_compat.ops.function._elementwise import positive as positive
from mindspore_compat.ops.function._elementwise import rad2deg as rad2deg
from mindspore_compat.ops.function._elementwise import real as real
from mindspore_compat.ops.function._elementwise import reciprocal as reciprocal
from mindspore_compat.ops.function._elementwise import rint as rint
from mindspore_compat.ops.function._elementwise import round as round
from mindspore_compat.ops.function._elementwise import rsqrt as rsqrt
from mindspore_compat.ops.function._elementwise import sgn as sgn
from mindspore_compat.ops.function._elementwise import sign as sign
from mindspore_compat.ops.function._elementwise import signbit as signbit
from mindspore_compat.ops.function._elementwise import sin as sin
from mindspore_compat.ops.function._elementwise import sinc as sinc
from mindspore_compat.ops.function._elementwise import sinh as sinh
from mindspore_compat.ops.function._elementwise import sqrt as sqrt
from mindspore_compat.ops.function._elementwise import square as square
from mindspore_compat.ops.function._elementwise import tan as tan
from mindspore_compat.ops.function._elementwise import trunc as trunc
from mindspore_compat.ops.function._elementwise import view_as_real as view_as_real
from mindspore_compat.ops.function._experts import add_layer_norm as add_layer_norm
from mindspore_compat.ops.function._experts import add_rms_norm as add_rms_norm
from mindspore_compat.ops.function._experts import apply_rotary_pos_emb as apply_rotary_pos_emb
from mindspore_compat.ops.function._experts import group_topk as group_topk
from mindspore_compat.ops.function._experts import moe_compute_expert_tokens as moe_compute_expert_tokens
from mindspore_compat.ops.function._experts import moe_finalize_routing as moe_finalize_routing
from mindspore_compat.ops.function._experts import moe_gating_topk_softmax as moe_gating_topk_softmax
from mindspore_compat.ops.function._experts import moe_init_routing as moe_init_routing
from mindspore_compat.ops.function._experts import moe_init_routing_v2 as moe_init_routing_v2
from mindspore_compat.ops.function._experts import moe_token_permute as moe_token_permute
from mindspore_compat.ops.function._experts import moe_token_unpermute as moe_token_unpermute
from mindspore_compat.ops.function._experts import multi_scale_deformable_attn_function as multi_scale_deformable_attn_function
from mindspore_compat.ops.function._experts import ring_attention_update as ring_attention_update
from mindspore_compat.ops.function._experts import rotary_position_embedding as rotary_position_embedding
from mindspore_compat.ops.function._extended import adaptive_avg_pool2d_ext as adaptive_avg_pool2d_ext
from mindspore_compat.ops.function._extended import bernoulli_ext as bernoulli_ext
from mindspore_compat.ops.function._extended import jet as jet
from mindspore_compat.ops.function._extended import reshard as reshard
from mindspore_compat.ops.function._extended import sparse_segment_mean as sparse_segment_mean
from mindspore_compat.ops.function._extended import stop_gradient_ as stop_gradient_
from mindspore_compat.ops.function._indexing import argwhere as argwhere
from mindspore_compat.ops.function._indexing import diagonal_scatter as diagonal_scatter
from mindspore_compat.ops.function._indexing import fill_diagonal as fill_diagonal
from mindspore_compat.ops.function._indexing import gather as gather
from mindspore_compat.ops.function._indexing import gather_d as gather_d
from mindspore_compat.ops.function._indexing import gather_elements as gather_elements
from mindspore_compat.ops.function._indexing import gather_nd as gather_nd
from mindspore_compat.ops.function._indexing import index_add as index_add
from mindspore_compat.ops.function._indexing import index_fill as index_fill
from mindspore_compat.ops.function._indexing import index_put as index_put
from mindspore_compat.ops.function._indexing import index_select as index_select
from mindspore_compat.ops.function._indexing import inplace_add as inplace_add
from mindspore_compat.ops.function._indexing import inplace_index_add as inplace_index_add
from mindspore_compat.ops.function._indexing import inplace_sub as inplace_sub
from mindspore_compat.ops.function._indexing import inplace_update as inplace_update
from mindspore_compat.ops.function._indexing import masked_fill as masked_fill
from mindspore_compat.ops.function._indexing import masked_scatter as masked_scatter
from mindspore_compat.ops.function._indexing import masked_select as masked_select
from mindspore_compat.ops.function._indexing import narrow as narrow
from mindspore_compat.ops.function._indexing import nonzero as nonzero
from mindspore_compat.ops.function._indexing import put_ as put_
from mindspore_compat.ops.function._indexing import scatter as scatter
from mindspore_compat.ops.function._indexing import select as select
from mindspore_compat.ops.function._indexing import select_scatter as select_scatter
from mindspore_compat.ops.function._indexing import slice as slice
from mindspore_compat.ops.function._indexing import slice_scatter as slice_scatter
from mindspore_compat.ops.function._indexing import strided_slice as strided_slice
from mindspore_compat.ops.function._indexing import take as take
from mindspore_compat.ops.function._indexing import tensor_slice as tensor_slice
from mindspore_compat.ops.function._indexing import unsorted_segment_max as unsorted_segment_max
from mindspore_compat.ops.function._indexing import unsorted_segment_min as unsorted_segment_min
from mindspore_compat.ops.function._indexing import unsorted_segment_prod as unsorted_segment_prod
from mindspore_compat.ops.function._indexing import unsorted_segment_sum as unsorted_segment_sum
from mindspore_compat.ops.function._indexing import where as where
from mindspore_compat.ops.function._joining import cat as cat
from mindspore_compat.ops.function._joining import chunk as chunk
from mindspore_compat.ops.function._joining import column_stack as column_stack
from mindspore_compat.ops.function._joining import concat as concat
from mindspore_compat.ops.function._joining import dsplit as dsplit
from mindspore_compat.ops.function._joining import dstack as dstack
from mindspore_compat.ops.function._joining import hsplit as hsplit
from mindspore_compat.ops.function._joining import hstack as hstack
from mindspore_compat.ops.function._joining import row_stack as row_stack
from mindspore_compat.ops.function._joining import split as split
from mindspore_compat.ops.function._joining import stack as stack
from mindspore_compat.ops.function._joining import tensor_split as tensor_split
from mindspore_compat.ops.function._joining import unbind as unbind
from mindspore_compat.ops.function._joining import unstack as unstack
from mindspore_compat.ops.function._joining import vsplit as vsplit
from mindspore_compat.ops.function._joining import vstack as vstack
from mindspore_compat.ops.function._lookups import embedding_lookup as embedding_lookup
from mindspore_compat.ops.function._loss import binary_cross_entropy as binary_cross_entropy
from mindspore_compat.ops.function._loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from mindspore_compat.ops.function._loss import cosine_embedding_loss as cosine_embedding_loss
from mindspore_compat.ops.function._loss import cosine_similarity as cosine_similarity
from mindspore_compat.ops.function._loss import cross_entropy as cross_entropy
from mindspore_compat.ops.function._loss import gaussian_nll_loss as gaussian_nll_loss
from mindspore_compat.ops.function._loss import hinge_embedding_loss as hinge_embedding_loss
from mindspore_compat.ops.function._loss import huber_loss as huber_loss
from mindspore_compat.ops.function._loss import intopk as intopk
from mindspore_compat.ops.function._loss import kl_div as kl_div
from mindspore_compat.ops.function._loss import l1_loss as l1_loss
from mindspore_compat.ops.function._loss import l2_loss as l2_loss
from mindspore_compat.ops.function._loss import margin_ranking_loss as margin_ranking_loss
from mindspore_compat.ops.function._loss import mse_loss as mse_loss
from mindspore_compat.ops.function._loss import mse_loss_ext as mse_loss_ext
from mindspore_compat.ops.function._loss import multi_margin_loss as multi_margin_loss
from mindspore_compat.ops.function._loss import multilabel_margin_loss as multilabel_margin_loss
from mindspore_compat.ops.function._loss import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from mindspore_compat.ops.function._loss import nll_loss as nll_loss
from mindspore_compat.ops.function._loss import nll_loss_outputs as nll_loss_outputs
from mindspore_compat.ops.function._loss import sigmoid_cross_entropy as sigmoid_cross_entropy
from mindspore_compat.ops.function._loss import smooth_l1_loss as smooth_l1_loss
from mindspore_compat.ops.function._loss import soft_margin_loss as soft_margin_loss
from mindspore_compat.ops.function._loss import softmax_cross_entropy as softmax_cross_entropy
from mindspore_compat.ops.function._loss import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from mindspore_compat.ops.function._loss import triplet_margin_loss as triplet_margin_loss
from mindspore_compat.ops.function._normalization import batch_norm as batch_norm
from mindspore_compat.ops.function._normalization import batch_norm_outputs as batch_norm_outputs
from mindspore_compat.ops.function._normalization import group_norm as group_norm
from mindspore_compat.ops.function._normalization import layer_norm as layer_norm
from mindspore_compat.ops.function._normalization import layer_norm_outputs as layer_norm_outputs
from mindspore_compat.ops.function._normalization import lrn as lrn
from mindspore_compat.ops.function._normalization import rms_norm as rms_norm
from mindspore_compat.ops.function._norms import cummax as cummax
from mindspore_compat.ops.function._norms import cummin as cummin
from mindspore_compat.ops.function._norms import cumprod as cumprod
from mindspore_compat.ops.function._norms import cumsum as cumsum
from mindspore_compat.ops.function._norms import cumulative as cumulative
from mindspore_compat.ops.function._norms import dist as dist
from mindspore_compat.ops.function._norms import euclidean_norm as euclidean_norm
from mindspore_compat.ops.function._norms import l2_normalize as l2_normalize
from mindspore_compat.ops.function._norms import logcumsumexp as logcumsumexp
from mindspore_compat.ops.function._norms import lp_norm as lp_norm
from mindspore_compat.ops.function._norms import matrix_norm as matrix_norm
from mindspore_compat.ops.function._norms import norm as norm
from mindspore_compat.ops.function._norms import nuclear_norm as nuclear_norm
from mindspore_compat.ops.function._norms import renorm as renorm
from mindspore_compat.ops.function._norms import vector_norm as vector_norm
from mindspore_compat.ops.function._numbers import fixed_generator as fixed_generator
from mindspore_compat.ops.function._numbers import generator_of as generator_of
from mindspore_compat.ops.function._ordering import argsort as argsort
from mindspore_compat.ops.function._ordering import bucketize as bucketize
from mindspore_compat.ops.function._ordering import msort as msort
from mindspore_compat.ops.function._ordering import searchsorted as searchsorted
from mindspore_compat.ops.function._ordering import shuffle as shuffle
from mindspore_compat.ops.function._ordering import sort as sort
from mindspore_compat.ops.function._ordering import top_k as top_k
from mindspore_compat.ops.function._ordering import topk as topk
from mindspore_compat.ops.function._ordering import unique as unique
from mindspore_compat.ops.function._ordering import unique_consecutive as unique_consecutive
from mindspore_compat.ops.function._ordering import unique_with_pad as unique_with_pad
from mindspore_compat.ops.function._ordering import unravel_index as unravel_index
from mindspore_compat.ops.function._padding import batch_to_space_nd as batch_to_space_nd
from mindspore_compat.ops.function._padding import channel_shuffle as channel_shuffle
from mindspore_compat.ops.function._padding import depth_to_space as depth_to_space
from mindspore_compat.ops.function._padding import mirror_pad as mirror_pad
from mindspore_compat.ops.function._padding import pad as pad
from mindspore_compat.ops.function._padding import padding as padding
from mindspore_compat.ops.function._padding import pixel_shuffle as pixel_shuffle
from mindspore_compat.ops.function._padding import pixel_unshuffle as pixel_unshuffle
from mindspore_compat.ops.function._padding import sides_of as sides_of
from mindspore_compat.ops.function._padding import space_to_batch_nd as space_to_batch_nd
from mindspore_compat.ops.function._padding import space_to_depth as space_to_depth
from mindspore_compat.ops.function._pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from mindspore_compat.ops.function._pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from mindspore_compat.ops.function._pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from mindspore_compat.ops.function._pooling import adaptive_max_pool1d as adaptive_max_pool1d
from mindspore_compat.ops.function._pooling import adaptive_max_pool2d as adaptive_max_pool2d
from mindspore_compat.ops.function._pooling import adaptive_max_pool3d as adaptive_max_pool3d
from mindspore_compat.ops.function._pooling import avg_pool1d as avg_pool1d
from mindspore_compat.ops.function._pooling import avg_pool2d as avg_pool2d
from mindspore_compat.ops.function._pooling import avg_pool3d as avg_pool3d
from mindspore_compat.ops.function._pooling import fractional_max_pool2d as fractional_max_pool2d
from mindspore_compat.ops.function._pooling import fractional_max_pool3d as fractional_max_pool3d
from mindspore_compat.ops.function._pooling import lp_pool1d as lp_pool1d
from mindspore_compat.ops.function._pooling import lp_pool2d as lp_pool2d
from mindspore_compat.ops.function._pooling import max_pool2d as max_pool2d
from mindspore_compat.ops.function._pooling import max_pool3d as max_pool3d
from mindspore_compat.ops.function._pooling import max_unpool1d as max_unpool1d
from mindspore_compat.ops.function._pooling import max_unpool2d as max_unpool2d
from mindspore_compat.ops.function._pooling import max_unpool3d as max_unpool3d
from mindspore_compat.ops.function._pooling import pool_nd as pool_nd
from mindspore_compat.ops.function._product_sums import addbmm as addbmm
from mindspore_compat.ops.function._product_sums import addmm as addmm
from mindspore_compat.ops.function._product_sums import addmm_ as addmm_
from mindspore_compat.ops.function._product_sums import addmv as addmv
from mindspore_compat.ops.function._product_sums import addr as addr
from mindspore_compat.ops.function._product_sums import baddbmm as baddbmm
from mindspore_compat.ops.function._product_sums import baddbmm_ext as baddbmm_ext
from mindspore_compat.ops.function._reduction import all as all
from mindspore_compat.ops.function._reduction import amax as amax
from mindspore_compat.ops.function._reduction import amin as amin
from mindspore_compat.ops.function._reduction import aminmax as aminmax
from mindspore_compat.ops.function._reduction import any as any
from mindspore_compat.ops.function._reduction import argmax as argmax
from mindspore_compat.ops.function._reduction import argmax_with_value as argmax_with_value
from mindspore_compat.ops.function._reduction import argmin as argmin
from mindspore_compat.ops.function._reduction import argmin_with_value as argmin_with_value
from mindspore_compat.ops.function._reduction import bincount as bincount
from mindspore_compat.ops.function._reduction import count_nonzero as count_nonzero
from mindspore_compat.ops.function._reduction import cov as cov
from mindspore_compat.ops.function._reduction import diff as diff
from mindspore_compat.ops.function._reduction import diff_ext as diff_ext
from mindspore_compat.ops.function._reduction import histc as histc
from mindspore_compat.ops.function._reduction import logsumexp as logsumexp
from mindspore_compat.ops.function._reduction import max as max
from mindspore_compat.ops.function._reduction import mean as mean
from mindspore_compat.ops.function._reduction import median as median
from mindspore_compat.ops.function._reduction import min as min
from mindspore_compat.ops.function._reduction import nanmean as nanmean
from mindspore_compat.ops.function._reduction import nanmedian as nanmedian
from mindspore_compat.ops.function._reduction import nanquantile as nanquantile
from mindspore_compat.ops.function._reduction import nansum as nansum
from mindspore_compat.ops.function._reduction import prod as prod
from mindspore_compat.ops.function._reduction import quantile as quantile
from mindspore_compat.ops.function._reduction import reduce_all as reduce_all
from mindspore_compat.ops.function._reduction import reduce_any as reduce_any
from mindspore_compat.ops.function._reduction import reduce_max as reduce_max
from mindspore_compat.ops.function._reduction import reduce_mean as reduce_mean
from mindspore_compat.ops.function._reduction import reduce_min as reduce_min
from mindspore_compat.ops.function._reduction import reduce_prod as reduce_prod
from mindspore_compat.ops.function._reduction import reduce_sum as reduce_sum
from mindspore_compat.ops.function._reduction import std as std
from mindspore_compat.ops.function._reduction import std_mean as std_mean
from mindspore_compat.ops.function._reduction import sum as sum
from mindspore_compat.ops.function._reduction import trace as trace
from mindspore_compat.ops.function._reduction import trapz as trapz
from mindspore_compat.ops.function._reduction import var as var
from mindspore_compat.ops.function._reduction import var_mean as var_mean
from mindspore_compat.ops.function._resizing import affine_grid as affine_grid
from mindspore_compat.ops.function._resizing import grid_sample as grid_sample
from mindspore_compat.ops.function._resizing import interpolate as interpolate
from mindspore_compat.ops.function._resizing import resize_cubic as resize_cubic
from mindspore_compat.ops.function._resizing import resize_linear as resize_linear
from mindspore_compat.ops.function._resizing import resize_nearest as resize_nearest
from mindspore_compat.ops.function._resizing import upsample as upsample
from mindspore_compat.ops.function._rotated import rotated_iou as rotated_iou
from mindspore_compat.ops.function._sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from mindspore_compat.ops.function._sampling import uniform_candidate_sampler as uniform_candidate_sampler
from mindspore_compat.ops.function._scattering import scatter_add as scatter_add
from mindspore_compat.ops.function._scattering import scatter_div as scatter_div
from mindspore_compat.ops.function._scattering import scatter_max as scatter_max
from mindspore_compat.ops.function._scattering import scatter_min as scatter_min
from mindspore_compat.ops.function._scattering import scatter_mul as scatter_mul
from mindspore_compat.ops.function._scattering import scatter_nd as scatter_nd
from mindspore_compat.ops.function._scattering import scatter_nd_add as scatter_nd_add
from mindspore_compat.ops.function._scattering import scatter_nd_div as scatter_nd_div
from mindspore_compat.ops.function._scattering import scatter_nd_max as scatter_nd_max
from mindspore_compat.ops.function._scattering import scatter_nd_min as scatter_nd_min
from mindspore_compat.ops.function._scattering import scatter_nd_mul as scatter_nd_mul
from mindspore_compat.ops.function._scattering import scatter_nd_sub as scatter_nd_sub
from mindspore_compat.ops.function._scattering import scatter_nd_update as scatter_nd_update
from mindspore_compat.ops.function._scattering import scatter_sub as scatter_sub
from mindspore_compat.ops.function._scattering import scatter_update as scatter_update
from mindspore_compat.ops.function._scattering import tensor_scatter_add as tensor_scatter_add
from mindspore_compat.ops.function._scattering import tensor_scatter_div as tensor_scatter_div
from mindspore_compat.ops.function._scattering import tensor_scatter_elements as tensor_scatter_elements
from mindspore_compat.ops.function._scattering import tensor_scatter_max as tensor_scatter_max
from mindspore_compat.ops.function._scattering import tensor_scatter_min as tensor_scatter_min
from mindspore_compat.ops.function._scattering import tensor_scatter_mul as tensor_scatter_mul
from mindspore_compat.ops.function._scattering import tensor_scatter_sub as tensor_scatter_sub
from mindspore_compat.ops.function._scattering import tensor_scatter_update as tensor_scatter_update
from mindspore_compat.ops.function._shaping import adjoint as adjoint
from mindspore_compat.ops.function._shaping import atleast_1d as atleast_1d
from mindspore_compat.ops.function._shaping import atleast_2d as atleast_2d
from mindspore_compat.ops.function._shaping import atleast_3d as atleast_3d
from mindspore_compat.ops.function._shaping import broadcast_to as broadcast_to
from mindspore_compat.ops.function._shaping import diagonal as diagonal
from mindspore_compat.ops.function._shaping import dtype as dtype
from mindspore_compat.ops.function._shaping import dyn_shape as dyn_shape
from mindspore_compat.ops.function._shaping import expand as expand
from mindspore_compat.ops.function._shaping import expand_as as expand_as
from mindspore_compat.ops.function._shaping import expand_dims as expand_dims
from mindspore_compat.ops.function._shaping import flatten as flatten
from mindspore_compat.ops.function._shaping import flip as flip
from mindspore_compat.ops.function._shaping import fliplr as fliplr
from mindspore_compat.ops.function._shaping import flipud as flipud
from mindspore_compat.ops.function._shaping import is_tensor as is_tensor
from mindspore_compat.ops.function._shaping import matrix_band_part as matrix_band_part
from mindspore_compat.ops.function._shaping import moveaxis as moveaxis
from mindspore_compat.ops.function._shaping import movedim as movedim
from mindspore_compat.ops.function._shaping import numel as numel
from mindspore_compat.ops.function._shaping import permute as permute
from mindspore_compat.ops.function._shaping import rank as rank
from mindspore_compat.ops.function._shaping import ravel as ravel
from mindspore_compat.ops.function._shaping import repeat_elements as repeat_elements
from mindspore_compat.ops.function._shaping import repeat_interleave as repeat_interleave
from mindspore_compat.ops.function._shaping import reshape as reshape
from mindspore_compat.ops.function._shaping import reshape_ as reshape_
from mindspore_compat.ops.function._shaping import reverse as reverse
from mindspore_compat.ops.function._shaping import reverse_sequence as reverse_sequence
from mindspore_compat.ops.function._shaping import roll as roll
from mindspore_compat.ops.function._shaping import rot90 as rot90
from mindspore_compat.ops.function._shaping import shape as shape
from mindspore_compat.ops.function._shaping import shape_ as shape_
from mindspore_compat.ops.function._shaping import size as size
from mindspore_compat.ops.function._shaping import squeeze as squeeze
from mindspore_compat.ops.function._shaping import swapaxes as swapaxes
from mindspore_compat.ops.function._shaping import swapdims as swapdims
from mindspore_compat.ops.function._shaping import t as t
from mindspore_compat.ops.function._shaping import tile as tile
from mindspore_compat.ops.function._shaping import transpose as transpose
from mindspore_compat.ops.function._shaping import tril as tril
from mindspore_compat.ops.function._shaping import triu as triu
from mindspore_compat.ops.function._shaping import unsqueeze as unsqueeze
from mindspore_compat.ops.function._shaping import view_as as view_as
from mindspore_compat.ops.function._tensor_parallel import all_gather_matmul as all_gather_matmul
from mindspore_compat.ops.function._tensor_parallel import matmul_reduce_scatter as matmul_reduce_scatter
from mindspore_compat.ops.function.clip_func import clamp as clamp
from mindspore_compat.ops.function.clip_func import clamp_ as clamp_
from mindspore_compat.ops.function.clip_func import clip as clip
from mindspore_compat.ops.function.clip_func import clip_by_global_norm as clip_by_global_norm
from mindspore_compat.ops.function.clip_func import clip_by_norm as clip_by_norm
from mindspore_compat.ops.function.clip_func import clip_by_value as clip_by_value
from mindspore_compat.ops.function.debug_func import print_ as print_
from mindspore_compat.ops.function.debug_func import tensordump as tensordump
from mindspore_compat.ops.function.fft_func import fftfreq as fftfreq
from mindspore_compat.ops.function.fft_func import fftshift as fftshift
from mindspore_compat.ops.function.fft_func import ifftshift as ifftshift
from mindspore_compat.ops.function.fft_func import rfftfreq as rfftfreq
from mindspore_compat.ops.function.fft_func import stft as stft
from mindspore_compat.ops.function.grad._operation import GradOperation as GradOperation
from mindspore_compat.ops.function.grad._operation import get_grad as get_grad
from mindspore_compat.ops.function.grad._operation import grad as grad
from mindspore_compat.ops.function.grad._operation import stop_gradient as stop_gradient
from mindspore_compat.ops.function.grad._operation import value_and_grad as value_and_grad
from mindspore_compat._autograd.vmap import vmap as vmap
from mindspore_compat.ops.function.grad.grad_func import derivative as derivative
from mindspore_compat.ops.function.grad.grad_func import jacfwd as jacfwd
from mindspore_compat.ops.function.grad.grad_func import jacrev as jacrev
from mindspore_compat.ops.function.grad.grad_func import jvp as jvp
from mindspore_compat.ops.function.grad.grad_func import linearize as linearize
from mindspore_compat.ops.function.grad.grad_func import vjp as vjp
from mindspore_compat.ops.function.image_func import bounding_box_decode as bounding_box_decode
from mindspore_compat.ops.function.image_func import bounding_box_encode as bounding_box_encode
from mindspore_compat.ops.function.image_func import check_valid as check_valid
from mindspore_compat.ops.function.image_func import crop_and_resize as crop_and_resize
from mindspore_compat.ops.function.image_func import deformable_conv2d as deformable_conv2d
from mindspore_compat.ops.function.image_func import iou as iou
from mindspore_compat.ops.function.image_func import nms_with_mask as nms_with_mask
from mindspore_compat.ops.function.image_func import ps_roi_pooling as ps_roi_pooling
from mindspore_compat.ops.function.image_func import roi_align as roi_align
from mindspore_compat.ops.function.linalg_func import batch_dot as batch_dot
from mindspore_compat.ops.function.linalg_func import batch_mat_mul as batch_mat_mul
from mindspore_compat.ops.function.linalg_func import bias_add as bias_add
from mindspore_compat.ops.function.linalg_func import bidense as bidense
from mindspore_compat.ops.function.linalg_func import bmm as bmm
from mindspore_compat.ops.function.linalg_func import cdist as cdist
from mindspore_compat.ops.function.linalg_func import cholesky as cholesky
from mindspore_compat.ops.function.linalg_func import cholesky_inverse as cholesky_inverse
from mindspore_compat.ops.function.linalg_func import cholesky_solve as cholesky_solve
from mindspore_compat.ops.function.linalg_func import cond as cond
from mindspore_compat.ops.function.linalg_func import cross as cross
from mindspore_compat.ops.function.linalg_func import dense as dense
from mindspore_compat.ops.function.linalg_func import det as det
from mindspore_compat.ops.function.linalg_func import dot as dot
from mindspore_compat.ops.function.linalg_func import eig as eig
from mindspore_compat.ops.function.linalg_func import eigvals as eigvals
from mindspore_compat.ops.function.linalg_func import einsum as einsum
from mindspore_compat.ops.function.linalg_func import einsum_ext as einsum_ext
from mindspore_compat.ops.function.linalg_func import geqrf as geqrf
from mindspore_compat.ops.function.linalg_func import ger as ger
from mindspore_compat.ops.function.linalg_func import inner as inner
from mindspore_compat.ops.function.linalg_func import inverse as inverse
from mindspore_compat.ops.function.linalg_func import kron as kron
from mindspore_compat.ops.function.linalg_func import log_matrix_determinant as log_matrix_determinant
from mindspore_compat.ops.function.linalg_func import logdet as logdet
from mindspore_compat.ops.function.linalg_func import lstsq as lstsq
from mindspore_compat.ops.function.linalg_func import lu_solve as lu_solve
from mindspore_compat.ops.function.linalg_func import lu_unpack as lu_unpack
from mindspore_compat.ops.function.linalg_func import mat_mul as mat_mul
from mindspore_compat.ops.function.linalg_func import matmul as matmul
from mindspore_compat.ops.function.linalg_func import matrix_determinant as matrix_determinant
from mindspore_compat.ops.function.linalg_func import matrix_exp as matrix_exp
from mindspore_compat.ops.function.linalg_func import matrix_power as matrix_power
from mindspore_compat.ops.function.linalg_func import matrix_solve as matrix_solve
from mindspore_compat.ops.function.linalg_func import matrix_triangular_solve as matrix_triangular_solve
from mindspore_compat.ops.function.linalg_func import mm as mm
from mindspore_compat.ops.function.linalg_func import mv as mv
from mindspore_compat.ops.function.linalg_func import orgqr as orgqr
from mindspore_compat.ops.function.linalg_func import ormqr as ormqr
from mindspore_compat.ops.function.linalg_func import outer as outer
from mindspore_compat.ops.function.linalg_func import pdist as pdist
from mindspore_compat.ops.function.linalg_func import pinv as pinv
from mindspore_compat.ops.function.linalg_func import qr as qr
from mindspore_compat.ops.function.linalg_func import slogdet as slogdet
from mindspore_compat.ops.function.linalg_func import svd as svd
from mindspore_compat.ops.function.linalg_func import tensor_dot as tensor_dot
from mindspore_compat.ops.function.linalg_func import vecdot as vecdot
from mindspore_compat.ops.function.other_func import array_to_scalar as array_to_scalar
from mindspore_compat.ops.function.other_func import assign as assign
from mindspore_compat.ops.function.other_func import assign_add as assign_add
from mindspore_compat.ops.function.other_func import assign_sub as assign_sub
from mindspore_compat.ops.function.other_func import bool_and as bool_and
from mindspore_compat.ops.function.other_func import bool_eq as bool_eq
from mindspore_compat.ops.function.other_func import bool_not as bool_not
from mindspore_compat.ops.function.other_func import bool_or as bool_or
from mindspore_compat.ops.function.other_func import depend as depend
from mindspore_compat.ops.function.other_func import dict_getitem as dict_getitem
from mindspore_compat.ops.function.other_func import dict_setitem as dict_setitem
from mindspore_compat.ops.function.other_func import float_status as float_status
from mindspore_compat.ops.function.other_func import hastype as hastype
from mindspore_compat.ops.function.other_func import identity as identity
from mindspore_compat.ops.function.other_func import in_dict as in_dict
from mindspore_compat.ops.function.other_func import is_ as is_
from mindspore_compat.ops.function.other_func import is_not as is_not
from mindspore_compat.ops.function.other_func import is_tensor_bool_cond as is_tensor_bool_cond
from mindspore_compat.ops.function.other_func import list_equal as list_equal
from mindspore_compat.ops.function.other_func import list_getitem as list_getitem
from mindspore_compat.ops.function.other_func import list_len as list_len
from mindspore_compat.ops.function.other_func import list_setitem as list_setitem
from mindspore_compat.ops.function.other_func import make_dict as make_dict
from mindspore_compat.ops.function.other_func import make_list as make_list
from mindspore_compat.ops.function.other_func import make_range as make_range
from mindspore_compat.ops.function.other_func import make_slice as make_slice
from mindspore_compat.ops.function.other_func import make_tuple as make_tuple
from mindspore_compat.ops.function.other_func import mixed_precision_cast as mixed_precision_cast
from mindspore_compat.ops.function.other_func import move_to as move_to
from mindspore_compat.ops.function.other_func import not_in_dict as not_in_dict
from mindspore_compat.ops.function.other_func import partial as partial
from mindspore_compat.ops.function.other_func import scalar_add as scalar_add
from mindspore_compat.ops.function.other_func import scalar_div as scalar_div
from mindspore_compat.ops.function.other_func import scalar_eq as scalar_eq
from mindspore_compat.ops.function.other_func import scalar_floordiv as scalar_floordiv
from mindspore_compat.ops.function.other_func import scalar_ge as scalar_ge
from mindspore_compat.ops.function.other_func import scalar_gt as scalar_gt
from mindspore_compat.ops.function.other_func import scalar_le as scalar_le
from mindspore_compat.ops.function.other_func import scalar_log as scalar_log
from mindspore_compat.ops.function.other_func import scalar_lt as scalar_lt
from mindspore_compat.ops.function.other_func import scalar_max as scalar_max
from mindspore_compat.ops.function.other_func import scalar_min as scalar_min
from mindspore_compat.ops.function.other_func import scalar_mod as scalar_mod
from mindspore_compat.ops.function.other_func import scalar_mul as scalar_mul
from mindspore_compat.ops.function.other_func import scalar_ne as scalar_ne
from mindspore_compat.ops.function.other_func import scalar_pow as scalar_pow
from mindspore_compat.ops.function.other_func import scalar_sub as scalar_sub
from mindspore_compat.ops.function.other_func import scalar_uadd as scalar_uadd
from mindspore_compat.ops.function.other_func import scalar_usub as scalar_usub
from mindspore_compat.ops.function.other_func import shape_mul as shape_mul
from mindspore_compat.ops.function.other_func import string_concat as string_concat
from mindspore_compat.ops.function.other_func import string_eq as string_eq
from mindspore_compat.ops.function.other_func import switch as switch
from mindspore_compat.ops.function.other_func import tuple_div as tuple_div
from mindspore_compat.ops.function.other_func import tuple_equal as tuple_equal
from mindspore_compat.ops.function.other_func import tuple_getitem as tuple_getitem
from mindspore_compat.ops.function.other_func import tuple_len as tuple_len
from mindspore_compat.ops.function.other_func import tuple_reversed as tuple_reversed
from mindspore_compat.ops.function.other_func import tuple_setitem as tuple_setitem
from mindspore_compat.ops.function.other_func import typeof as typeof
from mindspore_compat.ops.function.random_func import bernoulli as bernoulli
from mindspore_compat.ops.function.random_func import bernoulli_ as bernoulli_
from mindspore_compat.ops.function.random_func import choice_with_mask as choice_with_mask
from mindspore_compat.ops.function.random_func import exponential_ as exponential_
from mindspore_compat.ops.function.random_func import gamma as gamma
from mindspore_compat.ops.function.random_func import laplace as laplace
from mindspore_compat.ops.function.random_func import multinomial as multinomial
from mindspore_compat.ops.function.random_func import multinomial_with_replacement as multinomial_with_replacement
from mindspore_compat.ops.function.random_func import normal as normal
from mindspore_compat.ops.function.random_func import normal_ as normal_
from mindspore_compat.ops.function.random_func import poisson as poisson
from mindspore_compat.ops.function.random_func import rand as rand
from mindspore_compat.ops.function.random_func import rand_like as rand_like
from mindspore_compat.ops.function.random_func import randint as randint
from mindspore_compat.ops.function.random_func import randint_like as randint_like
from mindspore_compat.ops.function.random_func import randn as randn
from mindspore_compat.ops.function.random_func import randn_like as randn_like
from mindspore_compat.ops.function.random_func import random_ as random_
from mindspore_compat.ops.function.random_func import random_categorical as random_categorical
from mindspore_compat.ops.function.random_func import random_gamma as random_gamma
from mindspore_compat.ops.function.random_func import random_poisson as random_poisson
from mindspore_compat.ops.function.random_func import randperm as randperm
from mindspore_compat.ops.function.random_func import standard_laplace as standard_laplace
from mindspore_compat.ops.function.random_func import standard_normal as standard_normal
from mindspore_compat.ops.function.random_func import truncated_normal as truncated_normal
from mindspore_compat.ops.function.random_func import uniform as uniform
from mindspore_compat.ops.function.random_func import uniform_ as uniform_
from mindspore_compat.ops.function.random_func import uniform_int as uniform_int
from mindspore_compat.ops.function.sparse_func import coalesce as coalesce
from mindspore_compat.ops.function.sparse_func import coo2csr as coo2csr
from mindspore_compat.ops.function.sparse_func import coo_add as coo_add
from mindspore_compat.ops.function.sparse_func import coo_concat as coo_concat
from mindspore_compat.ops.function.sparse_func import csr2coo as csr2coo
from mindspore_compat.ops.function.sparse_func import csr_add as csr_add
from mindspore_compat.ops.function.sparse_func import csr_div as csr_div
from mindspore_compat.ops.function.sparse_func import csr_gather as csr_gather
from mindspore_compat.ops.function.sparse_func import csr_mm as csr_mm
from mindspore_compat.ops.function.sparse_func import csr_mul as csr_mul
from mindspore_compat.ops.function.sparse_func import csr_mv as csr_mv
from mindspore_compat.ops.function.sparse_func import csr_reduce_sum as csr_reduce_sum
from mindspore_compat.ops.function.sparse_func import csr_softmax as csr_softmax
from mindspore_compat.ops.function.sparse_func import csr_to_coo as csr_to_coo
from mindspore_compat.ops.function.sparse_func import csr_to_dense as csr_to_dense
from mindspore_compat.ops.function.sparse_func import dense_to_sparse_coo as dense_to_sparse_coo
from mindspore_compat.ops.function.sparse_func import dense_to_sparse_csr as dense_to_sparse_csr
from mindspore_compat.ops.function.sparse_func import make_coo_tensor as make_coo_tensor
from mindspore_compat.ops.function.sparse_func import make_csr_tensor as make_csr_tensor
from mindspore_compat.ops.function.sparse_func import make_row_tensor as make_row_tensor
from mindspore_compat.ops.function.sparse_func import make_row_tensor_inner as make_row_tensor_inner
from mindspore_compat.ops.function.sparse_func import make_sparse_tensor as make_sparse_tensor
from mindspore_compat.ops.function.sparse_func import row_tensor_add as row_tensor_add
INTERNAL: Any

def coo_abs(x: Any) -> Any:
    """`ops.abs` of the values of a COOTensor."""

def coo_acos(x: Any) -> Any:
    """`ops.acos` of the values of a COOTensor."""

def coo_acosh(x: Any) -> Any:
    """`ops.acosh` of the values of a COOTensor."""

def coo_asin(x: Any) -> Any:
    """`ops.asin` of the values of a COOTensor."""

def coo_asinh(x: Any) -> Any:
    """`ops.asinh` of the values of a COOTensor."""

def coo_atan(x: Any) -> Any:
    """`ops.atan` of the values of a COOTensor."""

def coo_atanh(x: Any) -> Any:
    """`ops.atanh` of the values of a COOTensor."""

def coo_ceil(x: Any) -> Any:
    """`ops.ceil` of the values of a COOTensor."""

def coo_cos(x: Any) -> Any:
    """`ops.cos` of the values of a COOTensor."""

def coo_cosh(x: Any) -> Any:
    """`ops.cosh` of the values of a COOTensor."""

def coo_exp(x: Any) -> Any:
    """`ops.exp` of the values of a COOTensor."""

def coo_expm1(x: Any) -> Any:
    """`ops.expm1` of the values of a COOTensor."""

def coo_floor(x: Any) -> Any:
    """`ops.floor` of the values of a COOTensor."""

def coo_inv(x: Any) -> Any:
    """`ops.inv` of the values of a COOTensor."""

def coo_isfinite(x: Any) -> Any:
    """`ops.isfinite` of the values of a COOTensor."""

def coo_isinf(x: Any) -> Any:
    """`ops.isinf` of the values of a COOTensor."""

def coo_isnan(x: Any) -> Any:
    """`ops.isnan` of the values of a COOTensor."""

def coo_log(x: Any) -> Any:
    """`ops.log` of the values of a COOTensor."""

def coo_log1p(x: Any) -> Any:
    """`ops.log1p` of the values of a COOTensor."""

def coo_neg(x: Any) -> Any:
    """`ops.neg` of the values of a COOTensor."""

def coo_relu(x: Any) -> Any:
    """`ops.relu` of the values of a COOTensor."""

def coo_relu6(x: Any) -> Any:
    """`ops.relu6` of the values of a COOTensor."""

def coo_round(x: Any) -> Any:
    """`ops.round` of the values of a COOTensor."""

def coo_sigmoid(x: Any) -> Any:
    """`ops.sigmoid` of the values of a COOTensor."""

def coo_sin(x: Any) -> Any:
    """`ops.sin` of the values of a COOTensor."""

def coo_sinh(x: Any) -> Any:
    """`ops.sinh` of the values of a COOTensor."""

def coo_softsign(x: Any) -> Any:
    """`ops.softsign` of the values of a COOTensor."""

def coo_sqrt(x: Any) -> Any:
    """`ops.sqrt` of the values of a COOTensor."""

def coo_square(x: Any) -> Any:
    """`ops.square` of the values of a COOTensor."""

def coo_tan(x: Any) -> Any:
    """`ops.tan` of the values of a COOTensor."""

def coo_tanh(x: Any) -> Any:
    """`ops.tanh` of the values of a COOTensor."""

def coo_tensor_get_dense_shape(x: Any) -> Any:
    """"""

def coo_tensor_get_indices(x: Any) -> Any:
    """"""

def coo_tensor_get_values(x: Any) -> Any:
    """"""

def csr_abs(x: Any) -> Any:
    """`ops.abs` of the values of a CSRTensor."""

def csr_acos(x: Any) -> Any:
    """`ops.acos` of the values of a CSRTensor."""

def csr_acosh(x: Any) -> Any:
    """`ops.acosh` of the values of a CSRTensor."""

def csr_asin(x: Any) -> Any:
    """`ops.asin` of the values of a CSRTensor."""

def csr_asinh(x: Any) -> Any:
    """`ops.asinh` of the values of a CSRTensor."""

def csr_atan(x: Any) -> Any:
    """`ops.atan` of the values of a CSRTensor."""

def csr_atanh(x: Any) -> Any:
    """`ops.atanh` of the values of a CSRTensor."""

def csr_ceil(x: Any) -> Any:
    """`ops.ceil` of the values of a CSRTensor."""

def csr_cos(x: Any) -> Any:
    """`ops.cos` of the values of a CSRTensor."""

def csr_cosh(x: Any) -> Any:
    """`ops.cosh` of the values of a CSRTensor."""

def csr_exp(x: Any) -> Any:
    """`ops.exp` of the values of a CSRTensor."""

def csr_expm1(x: Any) -> Any:
    """`ops.expm1` of the values of a CSRTensor."""

def csr_floor(x: Any) -> Any:
    """`ops.floor` of the values of a CSRTensor."""

def csr_inv(x: Any) -> Any:
    """`ops.inv` of the values of a CSRTensor."""

def csr_isfinite(x: Any) -> Any:
    """`ops.isfinite` of the values of a CSRTensor."""

def csr_isinf(x: Any) -> Any:
    """`ops.isinf` of the values of a CSRTensor."""

def csr_isnan(x: Any) -> Any:
    """`ops.isnan` of the values of a CSRTensor."""

def csr_log(x: Any) -> Any:
    """`ops.log` of the values of a CSRTensor."""

def csr_log1p(x: Any) -> Any:
    """`ops.log1p` of the values of a CSRTensor."""

def csr_neg(x: Any) -> Any:
    """`ops.neg` of the values of a CSRTensor."""

def csr_relu(x: Any) -> Any:
    """`ops.relu` of the values of a CSRTensor."""

def csr_relu6(x: Any) -> Any:
    """`ops.relu6` of the values of a CSRTensor."""

def csr_round(x: Any) -> Any:
    """`ops.round` of the values of a CSRTensor."""

def csr_sigmoid(x: Any) -> Any:
    """`ops.sigmoid` of the values of a CSRTensor."""

def csr_sin(x: Any) -> Any:
    """`ops.sin` of the values of a CSRTensor."""

def csr_sinh(x: Any) -> Any:
    """`ops.sinh` of the values of a CSRTensor."""

def csr_softsign(x: Any) -> Any:
    """`ops.softsign` of the values of a CSRTensor."""

def csr_sqrt(x: Any) -> Any:
    """`ops.sqrt` of the values of a CSRTensor."""

def csr_square(x: Any) -> Any:
    """`ops.square` of the values of a CSRTensor."""

def csr_tan(x: Any) -> Any:
    """`ops.tan` of the values of a CSRTensor."""

def csr_tanh(x: Any) -> Any:
    """`ops.tanh` of the values of a CSRTensor."""

def csr_tensor_get_dense_shape(x: Any) -> Any:
    """"""

def csr_tensor_get_indices(x: Any) -> Any:
    """"""

def csr_tensor_get_indptr(x: Any) -> Any:
    """"""

def csr_tensor_get_values(x: Any) -> Any:
    """"""

def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``fft`` along one axis."""

def fft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``fft2`` along two axes."""

def fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``fftn`` along all or the named axes."""

def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``hfft`` along one axis."""

def hfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``hfft2`` along two axes."""

def hfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``hfftn`` along all or the named axes."""

def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``ifft`` along one axis."""

def ifft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``ifft2`` along two axes."""

def ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``ifftn`` along all or the named axes."""

def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``ihfft`` along one axis."""

def ihfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``ihfft2`` along two axes."""

def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``ihfftn`` along all or the named axes."""

def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``irfft`` along one axis."""

def irfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``irfft2`` along two axes."""

def irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``irfftn`` along all or the named axes."""

def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``rfft`` along one axis."""

def rfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None) -> Any:
    """``rfft2`` along two axes."""

def rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """``rfftn`` along all or the named axes."""

def row_tensor_get_dense_shape(x: Any) -> Any:
    """"""

def row_tensor_get_indices(x: Any) -> Any:
    """"""

def row_tensor_get_values(x: Any) -> Any:
    """"""
