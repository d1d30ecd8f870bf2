"""Tables that tests write into documents, between `<!-- NAME: written by tests -->` and `<!-- end of NAME -->`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def is_written(page, name, wanted, request):
    """Whether the document has this table; with --rewrite-golden it is written."""
    path = ROOT / page
    begin, end = f"<!-- {name}: written by tests -->\n", f"<!-- end of {name} -->"
    before, rest = path.read_text().split(begin)
    shown, after = rest.split(end)
    wanted = f"\n{wanted}\n\n"
    if request.config.getoption("--rewrite-golden") and shown != wanted:
        path.write_text(before + begin + wanted + end + after)
        shown = wanted
    return shown == wanted
