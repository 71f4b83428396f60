# P1: Many images at once, many assets at once
base
