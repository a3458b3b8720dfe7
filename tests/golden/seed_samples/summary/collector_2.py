import mindspore as ms
from mindspore import nn, SummaryCollector
from mindspore.train import Model, Accuracy

if __name__ == '__main__':
    # If the device_target is GPU, set the device_target to "GPU"
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    mnist_dataset_dir = '/path/to/mnist_dataset_directory'
    # Create the dataset taking MNIST as an example. Refer to
    # https://gitee.com/mindspore/docs/blob/r2.3.q1/docs/mindspore/code/mnist.py
    ds_train = create_dataset()
    # Define the network structure of LeNet5. Refer to
    # https://gitee.com/mindspore/docs/blob/r2.3.q1/docs/mindspore/code/lenet.py
    network = LeNet5(10)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()}, amp_level="O2")

    # Simple usage:
    summary_collector = SummaryCollector(summary_dir='./summary_dir')
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    # Do not collect metric and collect the first layer parameter, others are collected by default
    specified={'collect_metric': False, 'histogram_regular': '^conv1.*'}
    summary_collector = SummaryCollector(summary_dir='./summary_dir', collect_specified_data=specified)
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)
