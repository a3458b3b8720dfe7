class Print_info(Callback):
    def step_end(self, run_context):
        cb_params = run_context.original_args()
        print(cb_params.cur_epoch_num)
        print(cb_params.cur_step_num)
print_cb = Print_info()
model.train(epoch, dataset, callbacks=print_cb)
