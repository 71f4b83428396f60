# E11: Two inputs, one starved
base
