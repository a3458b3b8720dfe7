"""Expressions over Tensors whose results real MindSpore gave (tests/golden/make_tensor.py) and ours must equal.

`EXPRESSIONS` are evaluated, `PROGRAMS` are executed and leave `result`; both see `names(ms)`.
"""


def names(ms):
    import copy
    import pickle

    import numpy as np

    Tensor = ms.Tensor
    return dict(
        ms=ms,
        np=np,
        copy=copy,
        pickle=pickle,
        Tensor=Tensor,
        Parameter=ms.Parameter,
        nn=ms.nn,
        i=Tensor([1, 2, 3]),
        f=Tensor([1.0, 2.0, 3.0]),
        h=Tensor([1.0, 2.0], ms.float16),
        b=Tensor([True, False]),
        u=Tensor(np.array([1, 2], np.uint8)),
        i8=Tensor(np.array([1, 2], np.int8)),
        s=Tensor(2.5),
        d=Tensor(np.array(2.5)),
        f2=Tensor([[1.0, 2.0], [3.0, 4.0]]),
        i32=Tensor([1, 2], ms.int32),
        x=Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4)),
    )


EXPRESSIONS = (
    """
Tensor(1)|Tensor(1.0)|Tensor(True)|Tensor(np.ones(2))|Tensor([1,2.5])|Tensor(np.float64(3))|Tensor((1,2))|Tensor([[1,2],[3,4]],ms.float32)
Tensor(f)|Tensor(f,ms.int32)|Tensor([])|Tensor([True,False])|Tensor("abc")|Tensor(None)|Tensor([Tensor(1),Tensor(2)])|Tensor([[1,2],[3]])
i+1.5|i32+1.5|i32+2|h+1.0|h+1|b+1|b+1.0|b+b|u+1|i8+h|i8+i32|u+i8|i32+i|f+d|h+Tensor(1.0)|h+Tensor(2)|h+f[:2]|i+i.astype(ms.int32)
i/2|i//2|i%2|i32/i32|i32//i32|f//2|f%2|(-f)%2|(-i)//2|(-i)%3|2**i|2-i|2/i|2//i|2%i|1-f|f@f|f2@f2|i*2|f**2|f**0.5|i-1|-i|-f|+f|abs(-f)
i==2|i==None|i!=None|i=="a"|i!="a"|f==[1.,2.,3.]|i<2|f<i|i>=2|b&b|b|b^b|i&1|i|i&i|b==True|f!=2|s==2.5|d==s
bool(s)|bool(f)|bool(Tensor(0))|int(s)|float(s)|len(f)|len(s)|round(s)|complex(s)|s.item()|f.item()|f2.tolist()|s.tolist()|f.shape|s.shape|f2.size|f2.ndim
f2.nbytes|f2.itemsize|f2.strides|f2.T|f2.dim()|f.numpy()|f.asnumpy()|list(f)|np.array(f)|np.sin(f)|f2.value()|f2.data|s.asnumpy().shape
f[0]|f[-1]|f[1:]|f2[0]|f2[:,1]|f2[...,0]|f2[None]|f2[0,0]|f2[Tensor([0,1])]|f2[[0,1]]|f2[[0,1],[1,0]]|f2[f2>2]|f2[Tensor([True,False])]|f2[True]
f2[0:1,None]|f2[5]|f[::-1]|f[Tensor(1)]|f2[(Tensor([0]),slice(None))]|f2[0][1]|f[5:10]|f2[:,Tensor([1])]|f2[Tensor([0]),Tensor([1])]|f["a"]
f[None,...,None]|x[0,1]|x[:,::2]|x[...,::-1]|x[::-1,::-2]|x[1,:,[0,2]]|x[:,[0,2],1]|x[-1,-1,-1]|x[:,1:2]|x[None,:,0]|f[1.0]|x[0,...,1]|x[[True,False]]
f+[1,2,3]|[1,2,3]+f|f+(1,2,3)|f+"a"|f*np.float64(2)|f*np.float32(2)|i*np.int64(2)|i*np.float64(2.5)|np.ones(3,np.float32)+f
f.astype("int32")|f.astype(np.float16)|f.astype(ms.int64)|f2.view(-1)|f2.view((4,))|f2.view(4,1)|x.view(2,-1)|f2.reshape(4)|f2.reshape((4,1))|x.reshape(-1,4)
x.transpose(0,2,1)|x.transpose((2,0,1))|x.transpose([1,0,2])|x.transpose()|f2.transpose(1,0)|x.swapaxes(0,1)|f2.expand_dims(0)|x.expand_dims(-1)
x.sum()|x.sum(0)|x.sum((0,1))|x.sum(axis=1,keepdims=True)|i.sum()|b.sum()|x.mean()|x.mean(1)|x.mean((0,2))|f2.mean(1,True)|x.mean(axis=-1,keep_dims=True)
f.copy()|str(f2)|str(f)|str(i)|str(b)|str(s)|repr(f2)|repr(f)|repr(i)|repr(b)|repr(s)|repr(h)|str(h)|"{}".format(f)|"%.3f"%s|str(Tensor([1.5,-2.25e10,3e-5]))
str(Tensor(np.arange(2000,dtype=np.float32)))|repr(Tensor(np.arange(6).reshape(2,3)))|str([f,s])|repr(Parameter(f,name="w"))|str((Parameter(f,name="w"),))
Parameter(1.0,name="s")|Parameter(3,name="i")|Parameter([1,2],name="l")|Parameter(np.ones(2),name="n")|type(Parameter(f,name="w")*2).__name__
Parameter(f,name="w").clone().name|copy.deepcopy(Parameter(f,name="q")).name|pickle.loads(pickle.dumps(f))|copy.copy(f)|copy.deepcopy(f2)
str(nn.Dense(2,3))|str(nn.SequentialCell(nn.Dense(2,3),nn.ReLU()))|str(nn.Flatten())|str(nn.Dropout(p=0.5))|str(nn.MaxPool2d(2,2))
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
# "|" separates, so the or-operator is written out
EXPRESSIONS = [e for e in EXPRESSIONS if e] + ["b.__or__(b)", "i.__or__(4)"]

PROGRAMS = {
    "iadd makes a new tensor": "a=Tensor([1.,2.]);c=a;a+=1;result=(a,c,a is c)",
    "iadd promotes": "a=Tensor([1,2]);c=a;a+=1.5;result=(a,c)",
    "imul, isub, idiv": "a=Tensor([1.,2.]);c=a;a*=2;a-=1;a/=2;result=(a,c)",
    "ifloordiv, imod": "a=Tensor([5.,7.]);a//=2;c=a;a%=2;result=(a,c)",
    "a view is written through": "c=f2[0];c[0]=9;result=(f2,c)",
    "reshape is a view": "c=f2.reshape(-1);c[0]=9;result=(f2,c)",
    "T is a view": "c=f2.T;c[0]=9;result=(f2,c)",
    "setitem": "f2[0,1]=7;f2[1]=Tensor([5.,6.]);f2[:,0]=[1,2];f2[f2>5]=0;result=f2",
    "setitem casts": "a=Tensor([1,2]);a[0]=2.7;result=a",
    "setitem by tensor and list": "a=Tensor([1.,2.,3.]);a[Tensor([0,2])]=Tensor([8.,9.]);a[[1]]=4;a[0:2]+=1;result=a",
    "setitem with a negative step": "x[0,::-1]=Tensor(np.arange(12,dtype=np.float32).reshape(3,4));result=x",
    "setitem of a bool mask": "x[x>20]=0.5;x[:,1]*=2;result=x",
    "constructor copies": "n=np.ones(3,np.float32);a=Tensor(n);n[0]=5;result=a",
    "from_numpy shares": "n=np.ones(3,np.float32);a=Tensor.from_numpy(n);n[0]=5;result=a",
    "asnumpy shares": "a=Tensor([1.,2.]);n=a.asnumpy();n[0]=5;result=a",
    "Tensor of a Tensor shares": "a=Tensor([1.,2.]);c=Tensor(a);c[0]=5;result=a",
    "copy does not share": "c=copy.copy(f);c[0]=5;result=f",
    "set_data": "p=Parameter(Tensor([1.,2.]),name='w');r=p.set_data(Tensor([5,6]));result=(r is p,p.asnumpy())",
    "set_data of another shape": "p=Parameter(Tensor([1.,2.]),name='w');p.set_data(Tensor([3.,4.,5.]))",
    "set_data with slice_shape": "p=Parameter(Tensor([1.,2.]),name='w');p.set_data(Tensor([3.,4.,5.]),slice_shape=True);result=p.asnumpy()",
    "assigning a tensor to a parameter attribute": """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.,2.]), name='w')
    def construct(self, y):
        self.w += y
        self.w = self.w * 2
        return self.w * 1
net = Net()
result = (net(Tensor([1.,1.])), net.w.asnumpy())
""",
    "names": """
class A(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)
        self.w = Parameter(Tensor([1.]), name='foo')
        self.seq = nn.SequentialCell([nn.Dense(2, 2), nn.ReLU(), nn.SequentialCell(nn.Dense(2, 2))])
        self.lst = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 1)])
        self.lst.append(nn.Dense(1, 2))
        self.z = Parameter(Tensor([2.]))
        self.plain_list = [nn.Dense(1, 1)]
        self.tied = self.fc
        self.pt = ms.ParameterTuple([Parameter(Tensor([1.]), name='a'), Parameter(Tensor([1.]), name='b')])
class B(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = A()
        self.d = nn.Dense(2, 2)
        self.d2 = nn.Dense(2, 2)
        self.d2.weight = self.d.weight
net = B()
alone = [p.name for p in A().get_parameters()]
first = [(n, p.name) for n, p in net.parameters_and_names()]
cells = [n for n, c in net.cells_and_names()]
prefixes = (net.param_prefix, net.a.param_prefix)
net.update_parameters_name('pre.')
train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1))
result = (alone, first, cells, prefixes, [p.name for p in train.get_parameters()], list(net.parameters_dict()))
""",
    "containers": """
c = nn.CellList([nn.Dense(1, 1), nn.Dense(2, 2)])
c.insert(0, nn.Dense(3, 3))
c.append(nn.Dense(4, 4))
s = nn.SequentialCell([nn.Dense(1, 1), nn.Dense(2, 2)])
s.append(nn.Dense(5, 5))
del c[1]
e = nn.CellList()
e.append(nn.Dense(1, 1))
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c, self.s = c, s
        self.empty = nn.CellList()
        self.empty.append(nn.Dense(1, 1))
        self.empty.append(nn.Dense(1, 1))
net = Net()
late = [p.name for p in net.get_parameters()]
net.c.append(nn.Dense(6, 6))
result = ([p.name for p in e.get_parameters()], late, [(n, p.name, p.shape) for n, p in net.parameters_and_names()], len(c), [len(c[1:]), s[0].in_channels, s[-1].in_channels])
""",
    "two parameters of one name": """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.]), name='w')
        self.v = Parameter(Tensor([1.]), name='w')
net = Net()
names = [p.name for p in net.get_parameters()]
nn.Momentum(net.trainable_params(), 0.1, 0.9)
""",
    "a cell in place of a parameter": """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.]), name='w')
        self.w = 3
Net()
""",
    "flags and modes": """
net = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5))
before = net.training, net[1].training
net.set_train()
during = net.training, net[1].training
net.set_train(False)
net.add_flags_recursive(mine=3)
net.set_grad()
result = (before, during, net[0].training, net[1].mine, net[0].get_flags()['mine'], net.requires_grad, net.phase)
""",
    "own bprop": """
class Net(nn.Cell):
    def construct(self, a):
        return a * 3
    def bprop(self, a, out, dout):
        return (dout * a * out,)
result = ms.grad(Net())(Tensor([2.]))
""",
}


_GRADIENTS = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1., 2.]), name='w')
        self.v = Parameter(Tensor([3., 4.]), name='v')
    def construct(self, a, c):
        return a * self.w * c + self.v.sum()
net = Net()
G = ms.ops.GradOperation
a, c = Tensor([2., 3.]), Tensor([4., 5.])
sens = Tensor([1., 10.])
result = """
PROGRAMS.update(
    {
        "gradient: " + source: _GRADIENTS + source
        for source in (
            "G()(net)(a, c)",
            "G(get_all=True)(net)(a, c)",
            "G(get_by_list=True)(net, net.trainable_params())(a, c)",
            "G(get_all=True, get_by_list=True, sens_param=True)(net, net.trainable_params())(a, c, sens)",
            "G(sens_param=True)(net)(a, c, sens)",
            "ms.grad(net, 1)(a, c)",
            "ms.grad(net, (0, 1))(a, c)",
            "ms.value_and_grad(net, None, net.trainable_params())(a, c)",
            "ms.value_and_grad(net, 0, net.w)(a, c)",
            "ms.grad(net, 0, net.trainable_params())(a, c)",
            "ms.grad(net, 5)(a, c)",
            "ms.grad(net, None)(a, c)",
        )
    }
)


def normal(value):
    """A result in a form that JSON holds: arrays by dtype, shape and values; other objects by what prints."""
    import numpy as np

    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        return {
            "tensor": str(array.dtype),
            "shape": list(array.shape),
            "values": array.ravel().astype(float).tolist() if array.dtype.kind != "b" else array.ravel().tolist(),
            "parameter": value.name if hasattr(value, "layerwise_parallel") else None,
        }
    if isinstance(value, np.ndarray):
        return {"array": str(value.dtype), "shape": list(value.shape), "values": value.ravel().tolist()}
    if isinstance(value, (tuple, list)):
        return [normal(item) for item in value]
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    return repr(value)


def evaluate(ms, source, is_program):
    """The normal form of a result, or {"error": class name}."""
    space = names(ms)
    try:
        if is_program:
            exec(source, space)
            return normal(space.get("result"))
        return normal(eval(source, space))
    except Exception as error:
        return {"error": type(error).__name__}
