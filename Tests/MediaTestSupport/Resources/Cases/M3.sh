# M3: Chapters that do not start at 0, and trimming (MKV)
base; printf ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=3000\ntitle=Two\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=3000\nEND=4000\ntitle=Thr\\=ee ü\n' > ch.txt; $FF -i base.mp4 -i ch.txt -map 0 -map_metadata 1 -map_chapters 1 -c copy m3.mkv
