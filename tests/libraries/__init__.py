"""Data and jobs for the libraries on MindSpore; the libraries themselves are checkouts given by path."""
