"""What can still, or must, happen: questions about the whole graph of states and steps, when a search has seen all of it.

`graph` holds the steps in arrays on disk, `kernels` are the passes over them, `compiled` once for all models. `labels` says
where goals and premises are true, `fairness` finds where a fair behaviour can stay for ever, `lasso` makes a path there and
around. `implied` does so for implications. `decide` puts them together; an engine gives it the graph and the path to a state.
"""
