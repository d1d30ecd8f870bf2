"""The site of the documentation: `sphinx-build -W -c docs/site docs build/site`, which .ci/run does; `-W`: a bad link fails.

Pages link to files beside `docs`. On the site these links lead to the repository, whose address is in HIGHWATER_REPOSITORY;
without it they are no links.
"""

import os
import re

project = "Highwater"
author = copyright = "The maintainers of Highwater"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = "Highwater"
root_doc = "index"
exclude_patterns = ["site"]
myst_heading_anchors = 4
suppress_warnings = ["toc.not_included", "myst.header", "misc.highlighting_failure"]
default_role = "code"  # of docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 80

PAGES = {
    "Tutorial": "tutorial",
    "How to": "ci your-own-model gallery for-tla-users adding-a-revision adding-an-action sweeps spark proving progress pictures"
    " brokers",
    "Reference": "semantics platforms costs api glossary sources your-release releases/index releases/kraft/index known-bugs"
    " repairs guards claims coverage architecture security changelog history",
    "Findings and reports": "findings reports/leader-elected-again kraft designs published reliability performance",
}
"""The column on the left."""

REPOSITORY = os.environ.get("HIGHWATER_REPOSITORY", "").rstrip("/")
OUTSIDE = re.compile(r"\[([^\[\]]*)\]\(((?:\.\./)+)([^)#\s]*)(#[^)\s]*)?\)")


def prepare(app, name, source):
    """The text of a page, in which what leaves `docs` leads to the repository; the first page has the column of pages."""

    def outside(match):
        text, ups, path, place = match.groups()
        if ups.count("../") <= name.count("/"):
            return match[0]
        return f"[{text}]({REPOSITORY}/blob/HEAD/{path}{place or ''})" if REPOSITORY else text

    source[0] = OUTSIDE.sub(outside, source[0])
    if name == "index":
        for title, pages in PAGES.items():
            source[0] += "\n\n```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join(pages.split()) + "\n```\n"


def indent(app, what, name, thing, options, lines):
    """Docstrings have examples as indented lines below a colon, which docutils takes for a quotation."""
    out = []
    for line in lines:
        if line.startswith("    ") and out and not out[-1].startswith("    "):
            before = [line for line in out if line.strip()]
            if before and before[-1].endswith(":") and not before[-1].endswith("::") and not before[-1].startswith("    "):
                out[len(out) - 1 - out[::-1].index(before[-1])] += ":"
            if out[-1].strip():
                out.append("")
        out.append(line)
    lines[:] = out


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", indent)
