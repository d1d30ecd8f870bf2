"""What a configuration will cost before it is explored.

    smaller     the configurations below it, explored completely
    fit         how many states, transitions and levels it has, with an interval
    costs       seconds, memory and disk, on this machine and on executors
    exchange    a simulation of the levels of a run on many executors: what takes the time, and what breaks first

`highwater estimate` is the command; docs/scale.md says how often it was right, and where the design on Spark ends.
"""
