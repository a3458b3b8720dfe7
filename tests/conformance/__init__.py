"""MindSpore's own tests as a measure of this package: ``make upstream MIRROR=…`` (docs/conformance.md).

The test files are taken out of git mirrors and never enter the repository. `run` runs them file by file on an
interpreter, `report` compares with real MindSpore and writes the page."""
