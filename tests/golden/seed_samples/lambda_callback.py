import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train.callback import LambdaCallback

data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
train_dataset = ds.NumpySlicesDataset(data=data).batch(32)
net = nn.Dense(10, 5)
crit = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')
opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
lambda_callback = LambdaCallback(epoch_end=
lambda run_context: print("loss: ", run_context.original_args().net_outputs))
model = Model(network=net, optimizer=opt, loss_fn=crit, metrics={"recall"})
model.train(2, train_dataset, callbacks=[lambda_callback])
