"""Runs on disk, whichever engine writes them: what is kept can be trusted, or is refused with the name of the file.

    identity   what determines the verdict of a run
    files      data files and small files of this machine's file system: whole, on disk, and with a digest
    reading    what is tried again, and what cannot be read: that is not damage
    manifests  which files count, level by level; each manifest has a checksum and names its predecessor's
    point_names  how the files of a sweep's table are called: their folder is no run
    lock       one run directory, one writer
    ended      how the run ended: verdict and properties
    stages     what is kept of a question about progress: the steps, and how far it was answered
    verify     reads everything, and says sound or where not

A level counts when its manifest is there. Its data files, and the folders that name them, are on disk before that.
"""
