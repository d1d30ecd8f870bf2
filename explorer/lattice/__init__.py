"""Which sets of repairs a property needs: a search over the lattice of sets, with nothing assumed about it.

    points       the sets of repairs: one level for each chain of them
    relevance    the repairs that the program reads at all under the sizes that are asked about
    transferred  a behaviour taken in many configurations at once: in which of them does it violate the property
    search       the minimal sets, from what explorations answer and what behaviours show
"""
