"""Hostile input for the command, drawn by a seed, and damaged caches.

python -m tests.fuzz --cases 10000 --seed 1

hostile   cases of each kind: arguments, and the files that they name
run       runs them through the command's main function, and judges how they ended
"""
