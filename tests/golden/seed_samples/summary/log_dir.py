from mindspore.train.summary import SummaryRecord
if __name__ == '__main__':
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        log_dir = summary_record.log_dir
