"""How fast the engines are: what `highwater bench` measures, at settings of the models that come with Highwater.

    measure_local  the local search: ratios within one run
    measure_spark  what Spark costs beside it, and what executors gain
    own_copy       a copy of a model in a package of a user's, beside the model
    in_c           one thread beside the published model by hand in C: `published_kip_279.c`
"""
