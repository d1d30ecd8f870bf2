"""The same exploration as a Spark batch: shards of the state space, spread over executors.

    search           the levels, from the driver: one job for each wide level, narrow ones in the driver itself
    tasks            what runs in an executor: take what was sent to a shard, keep what is new, expand it
    driver           the narrow levels, with the tables of the local explorer
    settings         options for exploring on Spark, and their defaults
    batch            states as parallel arrays
    expansion        the compiled kernels over a frontier; successors by owner, with most duplicates dropped before they travel
    successor_files  successors in flight, in files of the run directory
    deduplication    what is new of what arrived, in slices that fit the memory allowed
    kernels          inner loops that know no model; `compiled`: the module in which they run
    visited          a shard's visited set: sorted runs of fingerprints in files
    folder           files of the run directory, whole or not at all; which of them count: `runs.manifests`
    session          a Spark session, or one sentence that says why there is none
    explore          from the request to the outcome
    backward         from where goals are out of reach: the driver's part, job by job; `backward_tasks`: what runs in executors
    masks            states with bits for goals beside them, in Parquet and in the shuffle
    failures         what goes wrong, in one sentence each
    parents          the path back from a state
    shards           how many shards a run has by default
    claim            one writer for a run directory without locks; `leftovers`: temporary folders of processes that were killed
    hadoop           the run directory on file systems of Hadoop; `object_store`: in S3
    daemon           the process from which Spark forks its Python workers
    watch            what Spark reports about a job while it runs

A state belongs to the shard whose range of fingerprints holds its own. Everything that a task rests on is a file, which the
manifest of the level before names or the result of a task of that level, so any task can run anywhere, and run again.
"""
