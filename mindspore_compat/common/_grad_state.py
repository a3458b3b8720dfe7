"""How deep in `GradOperation`, `grad` or `value_and_grad` the program is. 0: outside."""

depth = 0
