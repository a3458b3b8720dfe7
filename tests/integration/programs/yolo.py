"""A YOLO-style detector in the style of the model zoo: Darknet blocks, a loss with IoU and ignore mask, own training
cell, warm-up cosine.
"""

import json
import math

import mindspore as ms
import numpy as np
from mindspore import Tensor, context, nn
from mindspore.common import initializer as init
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
CLASSES, GRID, BATCH = 3, 4, 4
ANCHORS = [(6.0, 8.0), (14.0, 12.0)]


def conv_block(in_channels, out_channels, kernel_size, stride, dilation=1):
    pad_mode = "same"
    return nn.SequentialCell(
        [
            nn.Conv2d(
                in_channels,
                out_channels,
                kernel_size=kernel_size,
                stride=stride,
                padding=0,
                dilation=dilation,
                pad_mode=pad_mode,
            ),
            nn.BatchNorm2d(out_channels, momentum=0.9, eps=1e-5),
            nn.LeakyReLU(alpha=0.1),
        ]
    )


class ResidualBlock(nn.Cell):
    def __init__(self, channels):
        super(ResidualBlock, self).__init__()
        self.conv1 = conv_block(channels, channels // 2, 1, 1)
        self.conv2 = conv_block(channels // 2, channels, 3, 1)
        self.add = P.Add()

    def construct(self, x):
        return self.add(self.conv2(self.conv1(x)), x)


class YOLO(nn.Cell):
    def __init__(self):
        super(YOLO, self).__init__()
        self.conv0 = conv_block(3, 8, 3, 2)
        self.conv1 = conv_block(8, 16, 3, 2)
        self.layers = nn.CellList([ResidualBlock(16), ResidualBlock(16)])
        self.lateral = conv_block(16, 8, 1, 1)
        self.down = conv_block(16, 16, 3, 2)
        self.concat = P.Concat(axis=1)
        self.head = nn.Conv2d(24, len(ANCHORS) * (5 + CLASSES), 1, has_bias=True, pad_mode="valid")

    def construct(self, x):
        feature = self.conv1(self.conv0(x))
        for layer in self.layers:
            feature = layer(feature)
        small = self.down(feature)
        up = P.ResizeNearestNeighbor((GRID * 2, GRID * 2))(small)
        merged = self.concat((up, self.lateral(feature)))
        return self.head(nn.AvgPool2d(2, 2)(merged))


class Iou(nn.Cell):
    def __init__(self):
        super(Iou, self).__init__()
        self.min, self.max = P.Minimum(), P.Maximum()
        self.sub_min = F.scalar_to_tensor(0.0) if hasattr(F, "scalar_to_tensor") else Tensor(0.0, ms.float32)

    def construct(self, box1, box2):
        box1_mins, box1_maxs = box1[..., 0:2] - box1[..., 2:4] / 2.0, box1[..., 0:2] + box1[..., 2:4] / 2.0
        box2_mins, box2_maxs = box2[..., 0:2] - box2[..., 2:4] / 2.0, box2[..., 0:2] + box2[..., 2:4] / 2.0
        wh = self.max(self.min(box1_maxs, box2_maxs) - self.max(box1_mins, box2_mins), self.sub_min)
        inter = P.Squeeze(-1)(wh[..., 0:1]) * P.Squeeze(-1)(wh[..., 1:2])
        area1 = P.Squeeze(-1)(box1[..., 2:3]) * P.Squeeze(-1)(box1[..., 3:4])
        area2 = P.Squeeze(-1)(box2[..., 2:3]) * P.Squeeze(-1)(box2[..., 3:4])
        return inter / (area1 + area2 - inter)


class YoloLoss(nn.Cell):
    def __init__(self):
        super(YoloLoss, self).__init__()
        self.anchors = Tensor(ANCHORS, ms.float32)
        self.ignore_threshold = Tensor(0.3, ms.float32)
        self.sigmoid = P.Sigmoid()
        self.cross_entropy = P.SigmoidCrossEntropyWithLogits()
        self.reduce_sum, self.reduce_max = P.ReduceSum(), P.ReduceMax()
        self.reshape, self.tile, self.cast, self.transpose = P.Reshape(), P.Tile(), P.Cast(), P.Transpose()
        self.concat = P.Concat(axis=-1)
        self.iou = Iou()
        self.select = P.Select()

    def construct(self, x, y_true, gt_box):
        prediction = self.transpose(self.reshape(x, (BATCH, len(ANCHORS), 5 + CLASSES, GRID, GRID)), (0, 3, 4, 1, 2))
        range_t = P.Cast()(F.tuple_to_array(tuple(range(GRID))), ms.float32)
        grid_x = self.tile(self.reshape(range_t, (1, 1, -1, 1, 1)), (1, GRID, 1, 1, 1))
        grid_y = self.tile(self.reshape(range_t, (1, -1, 1, 1, 1)), (1, 1, GRID, 1, 1))
        grid = self.concat((grid_x, grid_y))
        box_xy = (self.sigmoid(prediction[..., :2]) + grid) / GRID
        box_wh = P.Exp()(prediction[..., 2:4]) * self.anchors / 32.0
        boxes = self.concat((box_xy, box_wh))
        object_mask = y_true[..., 4:5]
        iou = self.iou(P.ExpandDims()(boxes, -2), self.reshape(gt_box, (BATCH, 1, 1, 1, -1, 4)))
        best = self.reduce_max(iou, -1)
        ignore_mask = F.stop_gradient(P.ExpandDims()(self.cast(best < self.ignore_threshold, ms.float32), -1))
        true_xy = y_true[..., :2] * GRID - grid
        true_wh = P.Log()(
            self.select(
                y_true[..., 2:4] == 0.0,
                F.fill(ms.float32, F.shape(y_true[..., 2:4]), 1.0),
                y_true[..., 2:4] / self.anchors * 32.0,
            )
        )
        scale = 2 - y_true[..., 2:3] * y_true[..., 3:4]
        xy_loss = self.reduce_sum(object_mask * scale * self.cross_entropy(prediction[..., :2], true_xy), ())
        wh_loss = self.reduce_sum(object_mask * scale * 0.5 * P.Square()(true_wh - prediction[..., 2:4]), ())
        confidence = self.cross_entropy(prediction[..., 4:5], object_mask)
        confidence_loss = self.reduce_sum(object_mask * confidence + (1 - object_mask) * confidence * ignore_mask, ())
        class_loss = self.reduce_sum(object_mask * self.cross_entropy(prediction[..., 5:], y_true[..., 5:]), ())
        return (xy_loss + wh_loss + confidence_loss + class_loss) / BATCH


class YoloWithLossCell(nn.Cell):
    def __init__(self, network):
        super(YoloWithLossCell, self).__init__()
        self.yolo_network, self.loss = network, YoloLoss()

    def construct(self, image, y_true, gt_box):
        return self.loss(self.yolo_network(image), y_true, gt_box)


clip_grad = C.MultitypeFuncGraph("clip_grad")


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, grad):
    if clip_type == 0:
        return C.clip_by_value(grad, Tensor(-clip_value, ms.float32), Tensor(clip_value, ms.float32))
    return nn.ClipByNorm()(grad, Tensor(clip_value, ms.float32))


class TrainingWrapper(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, sens=1.0):
        super(TrainingWrapper, self).__init__(network, optimizer, sens)
        self.hyper_map = C.HyperMap()

    def construct(self, *args):
        weights = self.weights
        loss = self.network(*args)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(*args, sens)
        grads = self.hyper_map(F.partial(clip_grad, 0, 4.0), grads)
        return F.depend(loss, self.optimizer(grads))


def warmup_cosine_annealing_lr(lr, total_steps, warmup_steps, eta_min=0.0):
    lrs = []
    for i in range(total_steps):
        if i < warmup_steps:
            lrs.append(lr * (i + 1) / warmup_steps)
        else:
            lrs.append(
                eta_min
                + (lr - eta_min) * (1.0 + math.cos(math.pi * (i - warmup_steps) / (total_steps - warmup_steps))) / 2
            )
    return np.array(lrs).astype(np.float32)


def batch(rng):
    image = rng.rand(BATCH, 3, 32, 32).astype(np.float32)
    y_true = np.zeros((BATCH, GRID, GRID, len(ANCHORS), 5 + CLASSES), np.float32)
    gt_box = np.zeros((BATCH, 3, 4), np.float32)
    for b in range(BATCH):
        for k in range(3):
            x, y, w, h, c, a = (
                *rng.uniform(0.1, 0.9, 2),
                *rng.uniform(0.15, 0.5, 2),
                rng.randint(CLASSES),
                rng.randint(len(ANCHORS)),
            )
            gt_box[b, k] = x, y, w, h
            y_true[b, int(y * GRID), int(x * GRID), a] = [x, y, w, h, 1, *np.eye(CLASSES)[c]]
            image[
                b, c, int(32 * (y - h / 2)) : int(32 * (y + h / 2)), int(32 * (x - w / 2)) : int(32 * (x + w / 2))
            ] += 1
    return [Tensor(item) for item in (image, y_true, gt_box)]


rng = np.random.RandomState(9)
network = YOLO()
for name, cell in network.cells_and_names():
    if isinstance(cell, nn.Conv2d):
        cell.weight.set_data(init.initializer(init.HeUniform(math.sqrt(5)), cell.weight.shape, cell.weight.dtype))
for parameter in network.trainable_params():
    if parameter.ndim == 4:
        parameter.set_data(
            Tensor((rng.randn(*parameter.shape) / math.sqrt(np.prod(parameter.shape[1:]))).astype(np.float32))
        )
    elif "bias" in parameter.name:
        parameter.set_data(init.initializer("zeros", parameter.shape, parameter.dtype))
bias = [p for p in network.trainable_params() if "bias" in p.name or "beta" in p.name or "gamma" in p.name]
rest = [p for p in network.trainable_params() if all(p is not q for q in bias)]
groups = [
    {"params": bias, "weight_decay": 0.0},
    {"params": rest, "weight_decay": 5e-4},
    {"order_params": network.trainable_params()},
]
optimizer = nn.Momentum(groups, Tensor(warmup_cosine_annealing_lr(0.02, 20, 4)), 0.9)
step = TrainingWrapper(YoloWithLossCell(network), optimizer)
step.set_train()
batches = [batch(rng) for _ in range(4)]
print(
    json.dumps(
        {
            "losses": [float(step(*batches[i % 4]).asnumpy()) for i in range(20)],
            "parameters": [p.name for p in step.network.get_parameters()],
        }
    )
)
