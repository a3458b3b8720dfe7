"""The hard half of MINDIR, second part of mindir_hard_cases.py: open sizes, indexing, recurrent layers."""

import mindspore as ms
import numpy as np
from mindir_hard_cases import IMG, IMG2, LAB, LAB5, M34, M54, SEQ, SEQ2, BnNet, If, case, f, step
from mindspore import nn, ops

D = None

case("dyn_dense", [(M34,), (M54,)], [[D, 4]])(lambda: nn.Dense(4, 3, activation="relu"))

case("dyn_conv", [(IMG,), (IMG2,)], [[D, 4, 6, 6]])(BnNet)

case("dyn_hw", [(IMG,), (f(3, 4, 9, 7),)], [[D, 4, D, D]])(BnNet)


class Flat(nn.Cell):
    def construct(self, x):
        return (x.reshape(x.shape[0], -1) * 2, x.view(-1, 4))


case("dyn_reshape", [(SEQ,), (SEQ2,)], [[D, D, 8]])(Flat)


class ShapeUse(nn.Cell):
    def construct(self, x):
        n, length, c = x.shape
        y = x.transpose(0, 2, 1).reshape(n * c, length)
        return (y, ops.ones((n, length), ms.float32) + x.mean(-1), x / length)


case("dyn_shape_use", [(SEQ,), (SEQ2,)], [[D, D, 8]])(ShapeUse)


class Att(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8))
        self.ln = nn.LayerNorm((8,))

    def construct(self, x):
        b, length, d = x.shape
        q, k, v = [m(x).reshape(b, length, 2, 4).transpose(0, 2, 1, 3) for m in (self.q, self.k, self.v)]
        a = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) / 2.0, -1)
        return self.ln(x + ops.matmul(a, v).transpose(0, 2, 1, 3).reshape(b, length, d))


case("dyn_attention", [(SEQ,), (SEQ2,)], [[D, D, 8]])(Att)

case("dyn_encoder", [(SEQ,), (SEQ2,)], [[D, D, 8]])(lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))

case("dyn_lstm", [(SEQ,), (SEQ2,)], [[D, D, 8]])(lambda: nn.LSTM(8, 3, batch_first=True))

case("dyn_embedding", [(np.array([[1, 2], [0, 3]], np.int32),), (np.array([[1, 2, 4]], np.int32),)], [[D, D]])(
    lambda: nn.Embedding(5, 3)
)


class Slices(nn.Cell):
    def construct(self, x):
        return (x[1:], x[:, :-1], x[0], x[-1], x[:, ::2], x[..., 1:3])


case("dyn_slices", [(SEQ,), (SEQ2,)], [[D, D, 8]])(Slices)


class Two(nn.Cell):
    def construct(self, x, y):
        return (ops.concat((x, y), 0), ops.matmul(x, y.T), x.sum(0) + y.mean(0))


case("dyn_two", [(M34, M54), (M54, M34)], [[D, 4], [D, 4]])(Two)


class Red(nn.Cell):
    def construct(self, x):
        return (
            x.sum(),
            x.mean(0),
            x.max(1),
            ops.softmax(x, 0),
            ops.cumsum(x, 0),
            x.argmax(0),
            ops.norm(x, dim=1),
            x.std(0),
            x.var(),
        )


case("dyn_reduce", [(M34,), (M54,)], [[D, 4]])(Red)


class Tile(nn.Cell):
    def construct(self, x):
        return (
            ops.tile(x, (2, 1)),
            ops.broadcast_to(x[None], (2,) + x.shape),
            ops.stack((x, x)),
            x.expand_dims(1),
            ops.zeros_like(x) + 1,
        )


case("dyn_tile", [(M34,), (M54,)], [[D, 4]])(Tile)

case("dyn_rank", [(M34,), (SEQ,)], [None])(lambda: nn.SequentialCell(nn.ReLU(), nn.Tanh()))


class PoolNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(4, 6, 3, 2)
        self.p = nn.MaxPool2d(2, 2, pad_mode="same")
        self.a = nn.AdaptiveAvgPool2d(1)
        self.f = nn.Flatten()
        self.d = nn.Dense(6, 2)

    def construct(self, x):
        return self.d(self.f(self.a(self.p(self.c(x)))))


case("dyn_pool", [(IMG,), (f(3, 4, 9, 7),)], [[D, 4, D, D]])(PoolNet)

case("dyn_pool_batch", [(IMG,), (IMG2,)], [[D, 4, 6, 6]])(PoolNet)


class TupIn(nn.Cell):
    def construct(self, t, z):
        return t[0] + t[1] * z


case("tuple_in", [((M34, M34), M34)])(TupIn)


class DynIf(nn.Cell):
    def construct(self, x):
        if x.shape[0] > 3:
            return x * 2
        return x - 1


case("dyn_if_shape", [(M34,), (M54,)], [[D, 4]])(DynIf)

case("dyn_if", [(abs(M34),), (-abs(M54),)], [[D, 4]])(If)

case("dyn_step", [(M34, LAB), (M54, LAB5)], [[D, 4], [D]], train=True)(step(lambda p: nn.Momentum(p, 0.1, 0.9)))

case("dyn_bn_train", [(IMG,), (IMG2,)], [[D, 4, 6, 6]], train=True)(BnNet)


class RangeDyn(nn.Cell):
    def construct(self, x):
        return (x + ops.arange(x.shape[0]).expand_dims(1), ops.full((x.shape[0], 2), 3.0))


case("dyn_arange", [(M34,), (M54,)], [[D, 4]])(RangeDyn)


class Adv(nn.Cell):
    def construct(self, x, i):
        return (x[i], x[:, i], x[i, i], x[i][:, None], x[..., i], x[1:, i], x[None, ..., 0])


case("adv_get", [(f(4, 4, 3), np.array([2, 0, 1], np.int32)), (f(4, 4, 3), np.array([0, 0, 2], np.int32))])(Adv)


class AdvSet(nn.Cell):
    def construct(self, x, i):
        x[i] = 1.5
        x[:, 0] = x[:, 1]
        x[i, 1] = 7.0
        x[1:3] += 2
        return x


case("adv_set", [(M54, np.array([2, 0], np.int32))])(AdvSet)


class Mask(nn.Cell):
    def construct(self, x):
        return (x[x > 0], ops.masked_select(x, x < 0), ops.nonzero(x > 0))


case("adv_mask", [(M34,), (M34 - 0.5,)])(Mask)


class MaskSet(nn.Cell):
    def construct(self, x):
        x[x > 0] = 9.0
        return x


case("adv_mask_set", [(M34,)])(MaskSet)


class SliceT(nn.Cell):
    def construct(self, x, n):
        return (x[n], x[:n], x[n : n + 2])


case("adv_slice_tensor", [(M54, np.array(1, np.int32)), (M54, np.array(3, np.int32))])(SliceT)


class NegStep(nn.Cell):
    def construct(self, x):
        return (x[::-1], x[:, 3:0:-2])


case("adv_negstep", [(M54,)])(NegStep)


class IdxPair(nn.Cell):
    def construct(self, x, i, j):
        return (x[i, :, j], x[i, j], x[i[:, None], j])


case("adv_pair", [(f(4, 5, 6), np.array([2, 0], np.int32), np.array([1, 3], np.int32))])(IdxPair)


class Uniq(nn.Cell):
    def construct(self, i):
        return ops.unique(i)


case("adv_unique", [(np.array([2, 0, 2, 1], np.int32),), (np.array([2, 2, 2, 2], np.int32),)])(Uniq)

case("lstm500", [(f(2, 500, 8),)])(lambda: nn.LSTM(8, 3, batch_first=True))

case("lstm", [(f(5, 2, 8),)])(lambda: nn.LSTM(8, 3))

case("lstm_bi2", [(f(5, 2, 8),)])(lambda: nn.LSTM(8, 3, 2, bidirectional=True, dropout=0.3))

case("lstm_nobias", [(f(5, 2, 8),)])(lambda: nn.LSTM(8, 3, has_bias=False))

case("gru", [(f(50, 2, 8),)])(lambda: nn.GRU(8, 3))

case("gru_bi", [(f(5, 2, 8),)])(lambda: nn.GRU(8, 3, 2, bidirectional=True))

case("rnn", [(f(50, 2, 8),)])(lambda: nn.RNN(8, 3))


class LstmH(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTM(8, 3)

    def construct(self, x, h, c):
        return self.l(x, (h, c))


case("lstm_h", [(f(5, 2, 8), f(1, 2, 3), f(1, 2, 3))])(LstmH)


class LstmLen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTM(8, 3)

    def construct(self, x, n):
        return self.l(x, None, n)


case("lstm_len", [(f(5, 2, 8), np.array([5, 3], np.int32))])(LstmLen)


class GruLen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l = nn.GRU(8, 3)

    def construct(self, x, n):
        return self.l(x, None, n)


case("gru_len", [(f(5, 2, 8), np.array([5, 3], np.int32))])(GruLen)

case("lstmcell", [(f(2, 8), f(2, 3), f(2, 3))])(lambda: LCell())


class LCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTMCell(8, 3)

    def construct(self, x, h, c):
        return self.l(x, (h, c))
