"""What a configuration will cost before it is explored.

    smaller     the configurations below it, explored completely
    fit         how many states, transitions and levels it has, with an interval
    costs       seconds, memory and disk, on this machine

`highwater estimate` is the command; docs/scale.md says how often it was right.
"""
