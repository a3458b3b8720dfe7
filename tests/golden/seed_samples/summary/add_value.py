from mindspore import Tensor
from mindspore.train.summary import SummaryRecord
if __name__ == '__main__':
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        summary_record.add_value('scalar', 'loss', Tensor(0.1))
