"""`highwater graph`: the state graph of a small configuration, for other tools."""

from __future__ import annotations

import sys

from ..plain.graph import FORMATS, as_text, state_graph
from .machine_readable import refuse_unwritable, write_file
from .parsing import Parser, add_subject, positive, subject_of

SUMMARY = """Export every state and every step of a small configuration as a graph.

Nodes have their depth and the properties that they break, edges their action."""

EXAMPLE = "highwater graph --model published --revision kip-320 --brokers 2 --max-epoch 0 --format dot"


def run(arguments: list[str]) -> int:
    """Build the graph and write it."""
    parser = Parser("graph", SUMMARY, EXAMPLE)
    add_subject(parser, arguments)
    parser.add_argument("--format", choices=FORMATS, default="graphml", help="default: graphml")
    parser.add_argument("--output", metavar="PATH|-", default="-", help="default: standard output")
    parser.add_argument("--most-states", metavar="N", type=positive, default=20_000, help="refuse a larger graph (20000)")
    options = parser.parse_args(arguments)
    subject = subject_of(options, checks=False)
    refuse_unwritable(options.output)
    graph = state_graph(subject.model, subject.config, subject.applicable, options.most_states)
    text = as_text(graph, options.format)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_file(options.output, text)
    depth = max(depth for _, depth in graph.nodes(data="depth"))
    print(f"{len(graph):,} states, {graph.number_of_edges():,} steps, depth {depth}", file=sys.stderr)
    return 0
