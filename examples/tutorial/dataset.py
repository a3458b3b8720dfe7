"""The pipelines."""

import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as C
import mindspore.dataset.vision.c_transforms as CV
from drawn import Digits


def create_dataset(training, batch_size=32):
    """Return batches of (image, label)."""
    source = Digits(1024, 0) if training else Digits(256, 1)
    data = ds.GeneratorDataset(source, ["image", "label"], shuffle=training)
    data = data.map(operations=[CV.Rescale(1.0 / 255.0, 0.0), CV.HWC2CHW()], input_columns="image")
    data = data.map(operations=C.TypeCast(mstype.int32), input_columns="label")
    return data.batch(batch_size, drop_remainder=training)
