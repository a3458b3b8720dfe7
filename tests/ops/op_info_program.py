"""Descriptions of operators, good and bad, for real MindSpore (golden/make_json.py op_info) and for ours
(test_op_info.py).
"""

from __future__ import annotations

import json
from typing import Any

BUILDERS = ["TBERegOp", "AiCPURegOp", "CpuRegOp", "CustomRegOp"]

#: name -> expression with `R`, the module ops.op_info_register
DESCRIPTIONS = {
    "documented": (
        "R.TBERegOp('OpName').fusion_type('ELEMWISE').async_flag(False).binfile_name('op_name.so').compute_cost(10).kernel_name('op_name').partial_flag(True).op_pattern('formatAgnostic').need_check_supported(True).dynamic_shape(True).dynamic_rank_support(True).dynamic_compile_static(True).attr('format', "
        "'required', 'str', 'all').input(0, 'x1', None, 'required', None).input(1, 'axis', None, 'required', "
        "None).output(0, 'y', True, 'required', 'all').real_input_index([1, "
        "0]).input_to_attr_index([2]).unknown_shape_formats(['ND', "
        "'ND']).reshape_type('NC').is_dynamic_format(True).dtype_format(R.DataType.F16_None, R.DataType.F16_None, "
        "R.DataType.F32_5HD).get_op_info()"
    ),
    "of a zoo project": (
        "R.TBERegOp('CusBatchMatMul').fusion_type('OPAQUE').async_flag(False).binfile_name('batchmatmul.so').compute_cost(10).kernel_name('CusBatchMatMul').partial_flag(True).input(0, "
        "'x1', False, 'required', 'all').input(1, 'x2', False, 'required', 'all').output(0, 'y', False, 'required', "
        "'all').dtype_format(R.DataType.F32_Default, R.DataType.F32_Default, R.DataType.F32_Default).get_op_info()"
    ),
    **{f"{name}, bare": f"R.{name}('Op').get_op_info()" for name in BUILDERS},
    "TBE, defaults": "R.TBERegOp('Op').async_flag().compute_cost().partial_flag().dynamic_shape().op_pattern().need_check_supported().get_op_info()",
    "TBE, all of an input": "R.TBERegOp('Op').input(0, 'x', True, 'optional', 'all', 'Required', more=3).get_op_info()",
    "TBE, nothing of an input": "R.TBERegOp('Op').input().output().attr().get_op_info()",
    "TBE, all of an attribute": "R.TBERegOp('Op').attr('a', 'required', 'int', '1', '2', other='x').get_op_info()",
    "CPU": "R.CpuRegOp('Op').input(0, 'x', 'required').output(0, 'y', 'required').attr('a', 'int', "
    "'2').dtype_format(R.DataType.F32_Default, R.DataType.I32_Default).get_op_info()",
    "AiCPU": "R.AiCPURegOp('Op').fusion_type('OPAQUE').input(0, 'x', 'required').output(0, 'y').attr('a', "
    "'int').dtype_format(R.DataType.F32_NCHW, R.DataType.BOOL_None).get_op_info()",
    "custom": "R.CustomRegOp('Op').input(0, 'x').output(0, 'y').attr('a', 'required', 'int', "
    "default_value='3').dtype_format(R.DataType.F32_Default, "
    "R.DataType.F32_Default).target('GPU').get_op_info()",
    "three texts": "R.CpuRegOp('Op').input(0, 'x').dtype_format(R.DataType.F32_Default_Tuple).get_op_info()",
}

#: What `op_info_register` is given, as an expression.
REGISTERED = {
    "TBE": "R.TBERegOp('Op1').input(0, 'x', None, 'required', None).output(0, 'y', True, 'required', "
    "'all').dtype_format(R.DataType.F16_None, R.DataType.F16_None).get_op_info()",
    "text": "json.dumps(R.TBERegOp('Op2').get_op_info())",
    "CPU": "R.CpuRegOp('Op3').get_op_info()",
    "custom": "R.CustomRegOp('Op4').get_op_info()",
    "no JSON": "'{'",
    "empty text": "''",
    "empty dict": "{}",
    "a JSON list": "'[]'",
    "a JSON number": "'3'",
    "no imply_type": "{'op_name': 'Op5', 'inputs': [], 'outputs': [], 'attr': [], 'fusion_type': ''}",
    "no op_name": "{'imply_type': 'TBE', 'inputs': [], 'outputs': [], 'attr': [], 'fusion_type': ''}",
    "no inputs": "{k: v for k, v in R.TBERegOp('Op7').get_op_info().items() if k != 'inputs'}",
    "no outputs": "{k: v for k, v in R.TBERegOp('Op8').get_op_info().items() if k != 'outputs'}",
    "no attr": "{k: v for k, v in R.TBERegOp('Op9').get_op_info().items() if k != 'attr'}",
    "no fusion_type": "{k: v for k, v in R.TBERegOp('Op10').get_op_info().items() if k != 'fusion_type'}",
    "no dtype_format": "{k: v for k, v in R.TBERegOp('Op11').get_op_info().items() if k != 'dtype_format'}",
    "no compute_cost": "{k: v for k, v in R.TBERegOp('Op12').get_op_info().items() if k != 'compute_cost'}",
    "no kernel": "{k: v for k, v in R.TBERegOp('Op13').get_op_info().items() if k != 'kernel'}",
    "twice": "R.TBERegOp('Op1').get_op_info()",
}


def run(module: Any) -> dict[str, Any]:
    """Every description and registration: what it gives, or the exception's type."""
    found: dict[str, Any] = {}
    for name, expression in DESCRIPTIONS.items():
        found[f"describe: {name}"] = _result(lambda e=expression: json.loads(json.dumps(eval(e, {"R": module}))))
    for name, expression in REGISTERED.items():

        def build(e: str = expression) -> Any:
            @module.op_info_register(eval(e, {"R": module, "json": json}))
            def kernel(x: int, y: int = 2) -> int:
                """doc"""
                return x + y

            return [kernel(1), kernel(1, y=5), kernel.__name__]

        found[f"register: {name}"] = _result(build)
    return found


def call_an_operator(mindspore: Any, ops: Any, register: Any) -> list[str]:
    """An operator with nothing but a description is called."""
    info = (
        register.TBERegOp("CusSquare")
        .input(0, "x", None, "required", None)
        .output(0, "y", True, "required", "all")
        .dtype_format(register.DataType.F32_Default, register.DataType.F32_Default)
        .get_op_info()
    )

    @register.op_info_register(info)
    def kernel(x: Any, y: Any, kernel_name: str = "CusSquare") -> None:
        pass

    class CusSquare(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self) -> None:
            self.init_prim_io_names(inputs=["x"], outputs=["y"])

        def infer_shape(self, x: Any) -> Any:
            return x

        def infer_dtype(self, x: Any) -> Any:
            return x

    class Net(mindspore.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.square = CusSquare()

        def construct(self, x: Any) -> Any:
            return self.square(x)

    found = []
    for call in (CusSquare(), Net()):
        try:
            found.append(str(call(mindspore.Tensor([1.0, 2.0]))))
        except Exception as error:
            found.append("RuntimeError" if isinstance(error, RuntimeError) else type(error).__name__)
    return found


def _result(run: Any) -> Any:
    try:
        return run()
    except Exception as error:
        return {"error": type(error).__name__}
