try:
    summary_record = SummaryRecord(log_dir="./summary_dir")
finally:
    summary_record.close()
