"""Calls with axes and shapes that are not there, outside of Cells. tests/golden/make_json.py axis_calls notes what real
MindSpore raises; the module has to work without anything of this repository.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

_METHODS = """
    squeeze unsqueeze expand_dims mean prod argmax argmin amax amin std var cumsum cumprod cummax cummin sort argsort
    unbind median nanmedian nansum nanmean logsumexp norm diff softmax count_nonzero sum any all max min
""".split()
_WITH_MORE = """
    gather({},Tensor([0])) index_select({},Tensor([0])) narrow({},0,1)
    repeat_interleave(2,{}) split(1,{}) chunk(2,{}) tensor_split(2,{}) topk(1,{}) roll(1,{}) swapaxes(0,{})
    transpose(0,{}) movedim(0,{}) moveaxis(0,{}) diagonal(0,0,{}) take(Tensor([0]),{}) trace(0,0,{}) flatten(0,{})
    rot90(1,(0,{})) permute(0,1,{}) cross(x,{}) gather_elements({},Tensor([[[0]]]))
""".split()
_FUNCTIONS = """
    squeeze(x,{}) expand_dims(x,{}) sum(x,{}) mean(x,{}) prod(x,{}) max(x,{}) min(x,{}) argmax(x,{}) argmin(x,{})
    any(x,{}) all(x,{}) amax(x,{}) amin(x,{}) std(x,{}) var(x,{}) cumsum(x,{}) cumprod(x,{}) sort(x,{}) argsort(x,{})
    flip(x,({},)) unbind(x,{}) median(x,{}) logsumexp(x,{}) vector_norm(x,2,{}) diff(x,1,{}) softmax(x,{})
    log_softmax(x,{}) unsqueeze(x,{}) split(x,1,{}) chunk(x,2,{}) stack((x,x),{}) cat((x,x),{}) unstack(x,{})
    roll(x,1,{}) tensor_split(x,2,{}) swapaxes(x,0,{}) moveaxis(x,0,{}) repeat_interleave(x,2,{}) topk(x,1,{})
    count_nonzero(x,{}) std_mean(x,{}) var_mean(x,{}) nanmean(x,{}) nansum(x,{}) glu(x,{}) cosine_similarity(x,x,{})
    cross(x,x,{}) diag_embed(x,0,0,{}) vecdot(x,x,axis={}) fft(x,dim={}) rfft(x,dim={}) fftshift(x,dim={})
    gather(x,Tensor([0]),{}) index_select(x,{},Tensor([0])) transpose(x,(0,1,{})) permute(x,(0,1,{})) renorm(x,1,{},1.0)
    select_scatter(x,x[0],{},0) slice_scatter(x,x,{},0,1) narrow(x,{},0,1) cummax(x,{}) cummin(x,{})
    matrix_norm(x,'fro',(0,{}))
""".split()
_SHAPES = """
    ops.add(x,x[:,:2]) ops.mul(x,x[:,:2]) ops.maximum(x,x[:,:2]) ops.equal(x,x[:,:2]) ops.where(x>0,x,x[:,:2])
    ops.masked_fill(x,x[:,:2]>0,1) x.masked_fill(4,1) ops.inner(x,x[:,:,:2]) ops.mv(x,x) ops.tensor_dot(x,x,1)
    ops.einsum('ij->i',x) ops.pdist(x) ops.bmm(x,x) ops.matmul(x,x) ops.concat((x,x[:,:2]),0) ops.reshape(x,(5,5))
    ops.broadcast_to(x,(2,2,2)) x.split(-5) x.chunk(-5) x.hsplit(-5) x.max((0,0)) x.mean((0,0)) x.std((0,0))
    ops.cumsum(x,'a') ops.cat((x,x),'a') ops.unbind(x,1.5)
""".split()


def calls() -> list[str]:
    """All calls, in a fixed order."""
    found = []
    for axis in ("5", "-6"):
        for name in _METHODS:
            found += [f"x.{name}({how}{axis})" for how in ("", "axis=", "dim=")] + [f"x.{name}((0,{axis}))"]
        found += [f"x.{text.format(axis)}" for text in _WITH_MORE]
        found += [f"ops.{text.format(axis)}" for text in _FUNCTIONS]
    return found + _SHAPES


def refusal(call: str, ms: ModuleType | Any) -> Exception | None:
    """What a call raises, or None."""
    x = ms.Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4) + 1)
    try:
        found = eval(call, {"x": x, "Tensor": ms.Tensor, "ops": ms.ops})
        for part in found if isinstance(found, (tuple, list)) else (found,):
            part.asnumpy()  # upstream's may be raised only here
    except Exception as error:
        return error
    return None
