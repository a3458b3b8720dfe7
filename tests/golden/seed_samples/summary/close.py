from mindspore.train.summary import SummaryRecord
if __name__ == '__main__':
    try:
        summary_record = SummaryRecord(log_dir="./summary_dir")
    finally:
        summary_record.close()
