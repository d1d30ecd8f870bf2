"""`highwater graph`: the state graph of a small configuration, for other tools."""

import argparse
import sys
from importlib import import_module

from ...traces.words import plural
from ..extras import needed
from ..output.machine_readable import validate_outputs, write_text
from ..output.progress_line import ProgressLine
from ..plain.graph import FORMATS, as_text, state_graph
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE
from .parsing import Parser, add_subject, positive, request_of

SUMMARY = """Export every state and every step of a small configuration as a graph.

Nodes have their depth and the properties that they violate; edges have their action."""

EXAMPLE = "highwater graph --model published --revision kip-320 --brokers 2 --max-epoch 0 --format dot --output graph.dot"


MAX_STATES, MAX_DRAWN = 20_000, 300
"""The maximum number of states in a graph, and in a picture of one."""


def add_flags(parser: Parser) -> None:
    """The flags of `graph`."""
    add_subject(parser)
    parser.add_argument("--format", choices=FORMATS, default="graphml", help="default: graphml; svg: drawn by Graphviz")
    parser.add_argument("--output", metavar="PATH|-", default="-", help="default: standard output")
    parser.add_argument("--most-states", metavar="N", type=positive, help="refuse a larger graph (20000; of a picture, 300)")


def run(options: argparse.Namespace) -> int:
    """Build the graph and write it."""
    request = request_of(options, checks=False)
    validate_outputs(options.output)
    drawn = options.format in ("dot", "svg")
    if drawn:
        with needed("graph", f"--format {options.format}"):
            import_module("pydot")
    most = options.most_states or (MAX_DRAWN if options.format == "svg" else MAX_STATES)
    with ProgressLine() as progress:
        graph = state_graph(request.model, request.config, request.applicable, most, drawn, progress)
    write_text(as_text(graph, options.format), options.output)
    depth = max(depth for _, depth in graph.nodes(data="depth"))
    cut = "; interrupted: incomplete" if graph.graph.get("incomplete") else ""
    print(f"{plural(len(graph), 'state')}, {plural(graph.number_of_edges(), 'step')}, depth {depth}{cut}", file=sys.stderr)
    return EXIT_INCOMPLETE if cut else EXIT_HOLDS
