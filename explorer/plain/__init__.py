"""The slow engine that is obviously right: plain Python, sets and lists. The others are compared with it."""
