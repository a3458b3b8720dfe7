"""Borrowed names: private names of MindSpore that published projects import. Each file names its borrowers."""
