"""The slow engine that is obviously correct: plain Python, sets and lists. The others are compared with it."""
