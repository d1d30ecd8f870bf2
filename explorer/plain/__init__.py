"""The slow engine that is obviously correct: plain Python, sets and lists. The others are compared with it.

    breadth_first  every reachable state and step
    explore        the search, with properties and counts
    graph          the state graph for networkx
    stepping       walks a model by hand
    costs          the cheapest and the most expensive path of a failover
"""
