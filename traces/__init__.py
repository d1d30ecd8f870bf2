"""Recorded behaviours: what an engine found, in a form that anybody can run again.

`trace` is the thing itself, `text` the file format, `notation` how a state and a step are written, `render` the
picture, `replay` the plain model running it, `shrink` dropping what is not needed, `itf` for other tools.
`golden/` holds the scenarios of the design documents, `scenarios` finds them by name.

    lasso            whether a trace shows that a goal is not reached
    compared         the same steps under another revision
    action_notes     what each step is, and what else could have happened there
    why              why a property is violated, from `evidence` (its last comparisons) and `witness` (in Kafka's words)
    trace_document   the JSON under every picture: `messages` are its arrows, `scene` is what is drawn of a state
    visible          text of a file on its way to people, as text alone
    words            how sets, brokers, batches and logs are written; `notation_in_flight`: messages;
                     `notation_metadata`: KRaft's log; `notation_designs`,
                     `notation_kraft`: states of the other models
"""
