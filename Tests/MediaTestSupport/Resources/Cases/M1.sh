# M1: iPhone-style QuickTime keys
base; $FF -i base.mp4 -map_metadata -1 -c copy -movflags use_metadata_tags -metadata creation_time=2022-11-09T17:36:38Z -metadata com.apple.quicktime.creationdate=2022-11-09T20:36:38+0300 -metadata com.apple.quicktime.location.ISO6709="+48.8577+002.2950+035.000/" -metadata com.apple.quicktime.make=ExampleCam m1.mov; $FF -i m1.mov -c copy m1c.mov
