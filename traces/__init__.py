"""Recorded behaviours: what an engine found, in a form that anybody can run again.

`trace` is the thing itself, `text` the file format, `notation` how a state and a step are written, `render` the
picture, `replay` the plain model running it, `shrink` dropping what is not needed, `itf` for other tools.
`golden/` holds the scenarios of the design documents; `families` finds them by name, and has the words of each model.

    lasso            whether a trace shows that a goal is not reached
    compared         the same steps under another revision
    action_notes     what each step is, and what else could have happened there
    why              why a property is violated, from `evidence` (its last comparisons) and `witness` (in words)
    trace_document   the JSON under every picture: `messages` are its arrows
    visible          text of a file on its way to people, as text alone
    words            how counts, sets and members are written
"""
