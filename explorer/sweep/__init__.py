"""Many configurations, each a separate task that runs the local explorer.

    tasks    what a task is, and what comes of it; it travels to another process
    runners  tasks run here, in processes of this machine, or as tasks of Spark
    table    results as a Parquet table of one small file for each point, so that nothing is done twice
    view     the table for SQL
"""
