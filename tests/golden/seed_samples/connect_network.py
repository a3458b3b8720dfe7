train_dataset = create_dataset()
dataset_helper = mindspore.DatasetHelper(train_dataset, dataset_sink_mode=True)
net = Net()
net_with_get_next = connect_network_with_dataset(net, dataset_helper)
