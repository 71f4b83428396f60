# E5: Disk full while writing
# The small file system itself is mounted by the test (TinyVolume), so that nothing stays mounted.
mkdir tiny
