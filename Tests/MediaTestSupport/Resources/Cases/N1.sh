# N1: HTTP server that accepts and never answers
# The server runs in the test (SilentServer).
base
