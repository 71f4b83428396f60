# E1: Exact trim with re-encode, frame aligned
base
