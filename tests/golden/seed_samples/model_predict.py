input_data = Tensor(np.random.randint(0, 255, [1, 3, 224, 224]), mindspore.float32)
model = Model(Net())
model.predict(input_data)
