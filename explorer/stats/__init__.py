"""Questions to a finished run: tables about its states.

    measures   the copies of logs in many states at once, and all that is counted of states
    witnesses  how many states, or steps, show that a `sometimes` property is not vacuous
    here       the tables of a run of the local engine
    on_spark   the tables of a run on Spark, in Spark SQL
    page       the tables as a page of charts
"""
