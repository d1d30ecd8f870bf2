"""Recorded behaviours: what an engine found, in a form that anybody can run again.

`trace` is the thing itself, `text` the file format, `notation` how a state and a step are told, `render` the
picture, `replay` the plain model running it, `shrink` dropping what is not needed, `itf` for other tools.
`golden/` holds the scenarios of the design documents.
"""
