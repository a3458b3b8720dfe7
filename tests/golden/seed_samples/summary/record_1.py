# use in with statement to auto close
with SummaryRecord(log_dir="./summary_dir") as summary_record:
    pass
# use in try .. finally .. to ensure closing
try:
    summary_record = SummaryRecord(log_dir="./summary_dir")
finally:
    summary_record.close()
