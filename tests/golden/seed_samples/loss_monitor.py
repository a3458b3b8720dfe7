from mindspore import Model, nn

net = LeNet5()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')
optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
model = Model(net, loss_fn=loss, optimizer=optim)
data_path = './MNIST_Data'
dataset = create_dataset(data_path)
loss_monitor = LossMonitor()
model.train(10, dataset, callbacks=loss_monitor)
