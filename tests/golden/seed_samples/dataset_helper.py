dataset_helper = DatasetHelper(dataset)
for inputs in dataset_helper:
    outputs = network(*inputs)
