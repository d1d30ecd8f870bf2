"""What must hold, what must be reachable, and since which revision: begin with `registry`.

A property is a function of a state, or of two, in the language of models, so every engine can run it. Its
docstring says the claim, why a user of Kafka would care, and which golden trace breaks it.

For the Kafka model: `committed_records`, `log_matching`, `high_watermark`, `truncation`, `isr`, `leadership`,
`controllership`, `generations` (topics deleted and created again), `compaction`, `retention`, `state_machines` (the
controller's), `reachability` (what must be reachable), `serving` and `progress` (what must happen in the end),
`step_invariants`, `step_invariants_brokers`, `step_invariants_produce` (for `guards`); `kafka` lists them. For the family
`kraft`: `kraft`, `step_invariants_kraft`. For the other models: `published`, `published_kraft`, `designs`, `strategies`.

    registry       the models with all that is said of them; `catalogue`: the properties of one
    property       what a property is; `applicability`: what it needs of a configuration
    explain        a violation explained; `explained_document`: as the document from which pictures are drawn
    checked        what was checked beyond the default sizes
    standing       where a release stands: what its revision violates, which repairs it lacks
    left_out       what a verdict says nothing of
    plugins        what a user's package adds; `extended`: a model with that, `replaced`: functions in the place of the model's,
                   `flags`: names that it cannot have
    lemmas         what makes proofs go through: `lemmas_kafka`, `lemmas_kafka_logs`, `lemmas_kafka_commits`, `lemmas_kraft`,
                   `lemmas_kraft_logs`, `lemmas_published`; `commands`: words of theirs
    ranked         a property with numbers that decrease until its goal is reached; `rankings`: Kafka's
    small_sizes    sizes at which every part of a model has something to do
    log_fields     what `highwater stats` measures in a state
    unreachable_actions  which actions the settings switch off
"""
