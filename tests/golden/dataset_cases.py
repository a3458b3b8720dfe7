"""Cases for the data operations, evaluated under MindSpore by make_dataset.py and under mindspore_compat by the tests.

An expression may use V, T (vision, transforms), ms, np, Inter, Border and the inputs below.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def inputs() -> dict[str, Any]:
    """Images with structure and noise; `pil` is a PIL image of `img`. `jpeg` and `png`, files of it, stand in dataset.npz."""
    from PIL import Image

    rng = np.random.RandomState(0)
    y, x = np.mgrid[0:18, 0:22]
    smooth = np.stack([(x * 8) % 256, (y * 10) % 256, (x * y) % 256], -1)
    img = np.clip(smooth * 0.7 + rng.randint(0, 77, (18, 22, 3)), 0, 255).astype(np.uint8)
    return {
        "img": img,
        "small": img[:6, :8].copy(),
        "gray2": img[:10, :12, 0].copy(),
        "gray3": img[:10, :12, :1].copy(),
        "fimg": (img[:8, :10] / 255).astype(np.float32),
        "chw": np.ascontiguousarray((img[:8, :10] / 255).astype(np.float32).transpose(2, 0, 1)),
        "rgba": np.concatenate([img[:6, :8], img[:6, 8:16, :1]], -1),
        "batch": np.stack([img[:6, :8], img[4:10, :8], img[8:14, :8], img[12:18, :8]]),
        "labels": np.array([0, 2, 1, 2]),
        "onehot": np.eye(3, dtype=np.float32)[[0, 2, 1, 2]],
        "pil": Image.fromarray(img),
        "pil_gray": Image.fromarray(img[:, :, 0].copy()),
    }


TRANSFORMS = [
    "T.TypeCast(ms.float32)(np.array([1,2],np.int64))", "T.TypeCast(np.int32)(np.array([1.7,-2.7]))",
    "T.TypeCast(ms.bool_)(np.array([0,2,-1]))", "T.TypeCast(ms.uint8)(np.array([1.9, 300.]))", "T.TypeCast('int8')(np.array([3]))",
    "T.TypeCast(ms.float16)(5)", "T.TypeCast(5)",
    "T.OneHot(4)(np.array(2))", "T.OneHot(4)(np.array([0,3]))", "T.OneHot(4,0.1)(np.array(2))", "T.OneHot(2)(np.array(2))",
    "T.OneHot(4)(np.array(1,np.uint8))", "T.OneHot(4)(np.array(1.5))", "T.OneHot(0)", "T.OneHot(4,1.5)", "T.OneHot(4)(np.array([[1],[2]]))",
    "T.OneHot(4)(np.array(1,np.int32))", "T.OneHot(4,0.1)(np.array([1,2],np.int32))",
    "T.Fill(3)(np.zeros((2,2),np.float32))", "T.Fill(3.7)(np.zeros(2,np.int32))", "T.Fill('a')(np.array(['x','y']))", "T.Fill(True)(np.array([0,1],bool))",
    "T.Slice(slice(0,2))(np.arange(5))", "T.Slice([0,3])(np.arange(5))", "T.Slice(2)(np.arange(5))", "T.Slice(None)(np.arange(5))",
    "T.Slice(...)(np.arange(5))", "T.Slice([0],slice(1,3))(np.arange(8).reshape(2,4))", "T.Slice(slice(None,None,-1))(np.arange(4))", "T.Slice(-1)(np.arange(5))",
    "T.Mask(T.Relational.EQ,3)(np.array([1,3]))", "T.Mask(T.Relational.GT,1)(np.array([1,3]))", "T.Mask(T.Relational.LE,1.5,ms.int16)(np.array([1.,3]))",
    "T.PadEnd([4],-1)(np.arange(2))", "T.PadEnd([2,None],7)(np.arange(3).reshape(1,3))", "T.PadEnd([1])(np.arange(3))", "T.PadEnd([3])(np.array([1.5]))",
    "T.PadEnd([3],'x')(np.array(['a']))", "T.PadEnd([3,3])(np.array([1.5]))",
    "T.Concatenate(0,np.array([9]))(np.array([1,2]))", "T.Concatenate(0,None,np.array([9]))(np.array([1,2]))", "T.Concatenate(-1,np.array([8]),np.array([9]))(np.array([1,2]))",
    "T.Concatenate(0)(np.array([1,2]),np.array([3]))", "T.Concatenate(1)",
    "T.Duplicate()(np.array([1,2]))", "T.Unique()(np.array([3,1,3,0]))", "T.Unique()(np.array([[3,1],[3,0]],np.float32))",
    "T.Compose([T.TypeCast(ms.float32), T.Fill(2)])(np.array([1,2]))", "T.Compose([lambda x: x+1, T.TypeCast(ms.float32)])(np.array([1,2]))",
    "T.Compose([])", "T.Compose(5)", "T.Compose([5])", "T.RandomApply([T.Fill(2)],1.0)(np.array([1,2]))", "T.RandomApply([T.Fill(2)],0.0)(np.array([1,2]))",
    "T.RandomApply([T.Fill(2)],1.5)", "T.RandomChoice([T.Fill(2)])(np.array([1,2]))", "T.RandomOrder([T.Fill(2)])(np.array([1,2]))", "T.RandomChoice([])",
]  # fmt: skip

_INTERS = ["Inter.LINEAR", "Inter.NEAREST", "Inter.CUBIC", "Inter.AREA", "Inter.PILCUBIC"]
RESIZE = [
    *(f"V.Resize({size}, {inter})({image})" for inter in _INTERS for size, image in [
        ("(10,12)", "img"), ("(25,31)", "img"), ("16", "img"), ("(7,33)", "fimg"), ("(5,5)", "gray2"), ("(16,5)", "gray3")]),
    *(f"V.Resize({size}, {inter})(pil)" for inter in ["Inter.LINEAR", "Inter.NEAREST", "Inter.CUBIC", "Inter.ANTIALIAS"] for size in ["(10,12)", "(25,31)", "16"]),
    "V.Resize((10,12))(pil_gray)", "V.Resize((9,11))(img)", "V.Resize((6,11))(img)", "V.Resize((6,8))(small)", "V.Resize(0)", "V.Resize('a')", "V.Resize((1,2,3))", "V.Resize((4,4))(np.zeros(5,np.uint8))",
    "V.Resize((6,8), 'LINEAR')", "V.Resize([6,8])(small)", "V.Resize((10,12))(img.astype(np.float64))", "V.Resize((10,12))(img.astype(np.int32))",
    "V.ResizedCrop(2,3,10,12,(6,7))(img)", "V.ResizedCrop(2,3,10,12,(6,7),Inter.NEAREST)(img)", "V.ResizedCrop(2,3,10,12,5)(img)", "V.ResizedCrop(2,3,10,12,(6,7))(pil)",
]  # fmt: skip

VISION = [
    "V.Rescale(1/255.,0.)(small)", "V.Rescale(2.,-1.)(fimg)", "V.Rescale(1/255.,-0.5)(np.float64(3))", "V.Rescale('a',0)",
    "V.Normalize([121.,115.,100.],[70.,68.,71.])(small)", "V.Normalize([0.5,0.4,0.3],[0.2,0.2,0.3])(fimg)", "V.Normalize([0.5,0.4,0.3],[0.2,0.2,0.3],is_hwc=False)(chw)",
    "V.Normalize([1.],[2.])(gray3)", "V.Normalize([1.],[2.])(gray2)", "V.Normalize([1.],[2.])(small)", "V.Normalize([1.,2.],[2.,2.])(small)", "V.Normalize([1.,2.,3.],[0.,2.,2.])",
    "V.Normalize([1.,2.,300.],[1.,2.,2.])", "V.Normalize([.5]*3,[.5]*3,False)(V.ToTensor()(pil))", "V.Normalize([1.,2.],[2.])", "V.Normalize([1,2,3],[2,2,2])(pil)", "V.Normalize(1.,2.)",
    "V.NormalizePad([121.,115.,100.],[70.,68.,71.])(small)", "V.NormalizePad([121.,115.,100.],[70.,68.,71.],'float16')(small)", "V.NormalizePad([1.,1.,1.],[7.,6.,7.],is_hwc=False)(chw)",
    "V.HWC2CHW()(small)", "V.HWC2CHW()(gray2)", "V.HWC2CHW()(gray3)", "V.HWC2CHW()(fimg)", "V.HWC2CHW()(pil)",
    "V.ToTensor()(small)", "V.ToTensor()(pil)", "V.ToTensor()(pil_gray)", "V.ToTensor()(gray2)", "V.ToTensor()(fimg)", "V.ToTensor(np.float64)(small)", "V.ToTensor(ms.float16)(small)", "V.ToTensor()(np.arange(3))",
    "V.ToTensor('float32')(small)", "V.ToTensor()(img.astype(np.int32))",
    "V.ToPIL()(small)", "V.ToPIL()(gray2)", "V.ToPIL()(fimg)", "V.ToPIL()(pil)", "V.ToPIL()(gray3)", "V.ToNumpy()(pil)", "V.ToType(np.float32)(small)", "V.ToType(ms.float16)(small)",
    "V.CenterCrop(4)(small)", "V.CenterCrop((5,4))(img)", "V.CenterCrop((30,34))(img)", "V.CenterCrop(10)(small)", "V.CenterCrop((7,9))(pil)", "V.CenterCrop((24,27))(pil)", "V.CenterCrop(0)", "V.CenterCrop(4)(gray2)",
    "V.Crop((1,2),(3,4))(small)", "V.Crop((1,2),3)(small)", "V.Crop((5,5),5)(small)", "V.Crop((1,2),(3,4))(pil)",
    "V.Pad(2)(small)", "V.Pad((1,2))(small)", "V.Pad((1,2,3,0))(small)", "V.Pad(2,7)(small)", "V.Pad(2,(1,2,3))(small)", "V.Pad(2,0,Border.EDGE)(small)", "V.Pad(2,0,Border.REFLECT)(small)", "V.Pad(2,0,Border.SYMMETRIC)(small)",
    "V.Pad(2)(pil)", "V.Pad((1,2,3,0),(9,8,7))(pil)", "V.Pad(2,0,Border.REFLECT)(pil)", "V.Pad(2)(gray2)", "V.Pad(2)(fimg)", "V.Pad(-1)", "V.Pad((1,2,3))",
    "V.PadToSize((10,12))(small)", "V.PadToSize((10,12),(1,2))(small)", "V.PadToSize((10,12),1,5)(small)", "V.PadToSize(10)(small)", "V.PadToSize((10,12),None,0,Border.EDGE)(small)",
    "V.RandomCrop((18,22))(img)", "V.RandomCrop(10,pad_if_needed=True)(small).shape", "V.RandomCrop(10)(small)", "V.RandomCrop((6,8),padding=2)(small).shape", "V.RandomCrop((18,22))(pil)", "V.RandomCrop((10,12),[2,2,2,2])(small)",
    "V.RandomCrop((10,12),[2,2,2,2],False,(1,2,3))(small)", "V.RandomCrop((10,12),[2,2,2,2],False,0,Border.EDGE)(small)", "V.RandomCrop((10,12),2)(pil).size",
    "V.HorizontalFlip()(small)", "V.VerticalFlip()(small)", "V.RandomHorizontalFlip(1.0)(small)", "V.RandomHorizontalFlip(0.0)(small)", "V.RandomVerticalFlip(1.0)(small)", "V.RandomHorizontalFlip(1.0)(pil)", "V.RandomVerticalFlip(1.0)(pil)",
    "V.RandomHorizontalFlip(2.0)", "V.RandomHorizontalFlip('a')", "V.HorizontalFlip()(gray2)", "V.HorizontalFlip()(fimg)", "V.HorizontalFlip()(pil)",
    "V.Grayscale()(pil)", "V.Grayscale(3)(pil)", "V.Grayscale()(small)", "V.RandomGrayscale(1.0)(pil)", "V.RandomGrayscale(0.0)(pil)", "V.RandomGrayscale(1.0)(pil_gray)",
    "V.Invert()(small)", "V.Invert()(pil)", "V.Invert()(fimg)", "V.Equalize()(img)", "V.Equalize()(pil)", "V.Equalize()(gray2)", "V.AutoContrast()(img)", "V.AutoContrast(5.0)(img)", "V.AutoContrast(5.0,[0,10])(img)", "V.AutoContrast()(pil)",
    "V.AutoContrast(5.0)(pil)", "V.Solarize((50,150))(img)", "V.Solarize(128)(img)", "V.RandomSolarize((50,50))(img)", "V.RandomSolarize((100,255))(img).shape", "V.Posterize(4)(small)", "V.RandomPosterize(3)(small)", "V.RandomPosterize((8,8))(small)",
    "V.RandomInvert(1.0)(small)", "V.RandomEqualize(1.0)(img)", "V.RandomAutoContrast(0.0,None,1.0)(img)", "V.RandomAdjustSharpness(0.5,1.0)(img)", "V.RandomAdjustSharpness(2.0,1.0)(img)",
    "V.AdjustBrightness(0.5)(img)", "V.AdjustBrightness(2.0)(img)", "V.AdjustBrightness(0.5)(pil)", "V.AdjustContrast(0.5)(img)", "V.AdjustContrast(1.7)(img)", "V.AdjustContrast(0.5)(pil)", "V.AdjustSaturation(0.5)(img)", "V.AdjustSaturation(1.7)(img)", "V.AdjustSaturation(1.7)(pil)",
    "V.AdjustHue(0.2)(img)", "V.AdjustHue(-0.3)(img)", "V.AdjustHue(0.2)(pil)", "V.AdjustSharpness(0.3)(img)", "V.AdjustSharpness(2.0)(img)", "V.AdjustSharpness(2.0)(pil)", "V.AdjustGamma(0.5)(img)", "V.AdjustGamma(2.0,1.2)(img)", "V.AdjustGamma(2.0)(fimg)", "V.AdjustGamma(2.0)(pil)",
    "V.RandomColorAdjust((0.5,0.5))(img)", "V.RandomColorAdjust((1,1),(1.5,1.5))(img)", "V.RandomColorAdjust((1,1),(1,1),(0.3,0.3))(img)", "V.RandomColorAdjust((1,1),(1,1),(1,1),(0.1,0.1))(img)", "V.RandomColorAdjust(0.4,0.4,0.4,0.1)(img).shape",
    "V.RandomColorAdjust((0.5,0.5))(pil)", "V.RandomColorAdjust(-1)", "V.RandomColorAdjust((1,1),(1,1),(1,1),(-0.6,0.1))", "V.RandomColor((0.3,0.3))(img)", "V.RandomColor((1.8,1.8))(img)", "V.RandomColor((0.3,0.3))(pil)", "V.RandomSharpness((0.2,0.2))(img)", "V.RandomSharpness((1.9,1.9))(img)", "V.RandomSharpness((1.9,1.9))(pil)",
    "V.RandomRotation((30,30))(img)", "V.RandomRotation((30,30),Inter.BILINEAR)(img)", "V.RandomRotation((30,30),Inter.NEAREST,True)(img)", "V.RandomRotation((45,45),Inter.NEAREST,False,(3,4),(9,8,7))(img)", "V.RandomRotation((30,30))(pil)", "V.RandomRotation((90,90),expand=True)(img)",
    "V.RandomRotation((30,30),Inter.BILINEAR,True)(pil)", "V.RandomRotation((30,30),Inter.BILINEAR)(pil)", "V.Rotate(30)(img)", "V.Rotate(90,Inter.BILINEAR,True)(img)", "V.Rotate(-20,Inter.BILINEAR)(img)", "V.Rotate(180)(img)", "V.Rotate(30,Inter.BICUBIC)(img)", "V.Rotate(30,Inter.AREA)(img)",
    "V.Affine(15,(0.1,-0.1),1.1,(10.,5.))(img)", "V.Affine(15,(0.1,-0.1),1.1,(10.,5.),Inter.BILINEAR,7)(img)", "V.Affine(0,(0.2,0.0),1.0,0.)(img)", "V.RandomAffine((15,15))(img)", "V.RandomAffine((15,15))(pil)", "V.RandomAffine((15,15),(0.1,0.1))(img)", "V.RandomAffine((15,15),None,(1.2,1.2),(10,10))(img)", "V.RandomAffine((15,15),None,(1.2,1.2),(10,10))(pil)", "V.RandomAffine((15,15),resample=Inter.BILINEAR)(img)",
    "V.Perspective([[0,0],[29,0],[29,23],[0,23]],[[2,3],[27,1],[25,20],[1,22]])(img)", "V.Perspective([[0,0],[29,0],[29,23],[0,23]],[[2,3],[27,1],[25,20],[1,22]],Inter.NEAREST)(img)", "V.Perspective([[0,0],[29,0],[29,23],[0,23]],[[2,3],[27,1],[25,20],[1,22]])(pil)",
    "V.Erase(1,2,3,4,(9,8,7))(small)", "V.Erase(1,2,3,4,5)(small)", "V.Erase(1,2,30,40,5)(small)", "V.RandomErasing(0.0)(chw)", "V.RandomErasing(1.0)(chw).shape", "V.CutOut(3)(small).shape", "V.CutOut(200)(small)", "V.CutOut(3,2,False)(chw).shape",
    "V.GaussianBlur(3)(img)", "V.GaussianBlur((3,5),(1.5,0.7))(img)", "V.GaussianBlur(3,2.0)(pil)", "V.GaussianBlur(2)", "V.GaussianBlur(5,1.0)(fimg)",
    "V.ConvertColor(V.ConvertMode.COLOR_RGB2BGR)(small)", "V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)(small)", "V.ConvertColor(V.ConvertMode.COLOR_BGR2GRAY)(small)", "V.ConvertColor(V.ConvertMode.COLOR_GRAY2RGB)(gray3)", "V.ConvertColor(V.ConvertMode.COLOR_RGB2RGBA)(small)", "V.ConvertColor(V.ConvertMode.COLOR_RGBA2RGB)(rgba)", "V.ConvertColor(V.ConvertMode.COLOR_RGBA2BGR)(rgba)",
    "V.RgbToHsv(True)(fimg)", "V.RgbToHsv()(chw)", "V.HsvToRgb(True)(V.RgbToHsv(True)(fimg))", "V.HsvToRgb()(V.RgbToHsv()(chw))", "V.LinearTransformation(np.eye(240),np.ones(240))(chw)", "V.LinearTransformation(np.eye(240)*2,np.zeros(240))(chw)",
    "V.FiveCrop(4)(pil)", "V.TenCrop((4,5))(pil)", "V.TenCrop(4,True)(pil)", "V.SlicePatches(2,3)(img)", "V.SlicePatches(5,4)(img)", "V.SlicePatches(5,4,V.SliceMode.DROP)(img)",
    "V.UniformAugment([V.Invert()],1)(small).shape", "V.RandomResizedCrop((7,9),(1.0,1.0),(1.25,1.25))(img)", "V.RandomResizedCrop(5)(img).shape", "V.RandomResizedCrop((7,9),(1.0,1.0),(1.25,1.25))(pil)", "V.RandomResize((5,6))(img).shape", "V.RandomSelectSubpolicy([[(V.Invert(),1.0)]])(small)",
    "V.MixUpBatch(0.5)(batch,onehot)[0].shape", "V.MixUpBatch(0.5)(batch,onehot)[1].sum()", "V.CutMixBatch(V.ImageBatchFormat.NHWC)(batch,onehot)[0].shape", "V.CutMixBatch(V.ImageBatchFormat.NHWC,1.0,0.0)(batch,onehot)", "V.MixUpBatch(0.5)(batch,labels)", "V.RandomLighting(0.0)(img)", "V.RandomPerspective(0.5,0.0)(pil)",
    "V.AutoAugment()(img).shape", "V.RandAugment()(img).shape", "V.TrivialAugmentWide()(img).shape", "V.MixUp(4,0.5)(batch.astype(np.float32),np.eye(3)[labels])[0].shape",
    "V.get_image_size(img)", "V.get_image_num_channels(img)", "V.get_image_num_channels(gray2)", "V.Decode()(np.zeros(5,np.uint8))", "V.Decode()(jpeg)", "V.Decode()(png)", "V.Decode(True)(jpeg)", "V.Decode()(jpeg.tobytes())", "V.RandomCropDecodeResize((7,9),(1.0,1.0),(1.25,1.25))(jpeg)", "V.RandomCropDecodeResize((7,9),(1.0,1.0),(1.25,1.25))(png)", "V.Decode()(small)", "V.RandomCropDecodeResize((4,4))(small)",
]  # fmt: skip

CASES = [*TRANSFORMS, *RESIZE, *VISION]
