import mindspore.nn as nn
from mindspore import context
from mindspore.train.callback import SummaryCollector, SummaryLandscape
from mindspore import Model
from mindspore.nn import Loss, Accuracy

if __name__ == '__main__':
    # If the device_target is Ascend, set the device_target to "Ascend"
    context.set_context(mode=context.GRAPH_MODE, device_target="GPU")
    mnist_dataset_dir = '/path/to/mnist_dataset_directory'
    # The detail of create_dataset method shown in model_zoo.official.cv.lenet.src.dataset.py
    ds_train = create_dataset(mnist_dataset_dir, 32)
    # The detail of LeNet5 shown in model_zoo.official.cv.lenet.src.lenet.py
    network = LeNet5(10)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()})
    # Simple usage for collect landscape information:
    interval_1 = [1, 2, 3, 4, 5]
    summary_collector = SummaryCollector(summary_dir='./summary/lenet_interval_1',
                                         collect_specified_data={'collect_landscape':{"landscape_size": 4,
                                                                                       "unit": "step",
                                                                         "create_landscape":{"train":True,
                                                                                            "result":False},
                                                                         "num_samples": 2048,
                                                                         "intervals": [interval_1]}
                                                                   })
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    # Simple usage for visualization landscape:
    def callback_fn():
        network = LeNet5(10)
        net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        metrics = {"Loss": Loss()}
        model = Model(network, net_loss, metrics=metrics)
        mnist_dataset_dir = '/path/to/mnist_dataset_directory'
        ds_eval = create_dataset(mnist_dataset_dir, 32)
        return model, network, ds_eval, metrics

    summary_landscape = SummaryLandscape('./summary/lenet_interval_1')
    # parameters of collect_landscape can be modified or unchanged
    summary_landscape.gen_landscapes_with_multi_process(callback_fn,
                                                       collect_landscape={"landscape_size": 4,
                                                                        "create_landscape":{"train":False,
                                                                                           "result":False},
                                                                         "num_samples": 2048,
                                                                         "intervals": [interval_1]},
                                                        device_ids=[1])
