"""What answers `GraphData`: the graph in memory, and the server and client of it."""
