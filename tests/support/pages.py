"""Documents that tests keep true: tables that are written into them, and worked examples that are run as they stand there."""

import re
from pathlib import Path

from support.elsewhere import highwater

ROOT = Path(__file__).parents[2]


def is_written(page, name, wanted, request):
    """Whether the document has this table, between `<!-- NAME: written by tests -->` and `<!-- end of NAME -->`.

    With --rewrite-golden it is written.
    """
    path = ROOT / page
    begin, end = f"<!-- {name}: written by tests -->\n", f"<!-- end of {name} -->"
    before, rest = path.read_text().split(begin)
    shown, after = rest.split(end)
    wanted = f"\n{wanted}\n\n"
    if request.config.getoption("--rewrite-golden") and shown != wanted:
        path.write_text(before + begin + wanted + end + after)
        shown = wanted
    return shown == wanted


class Example:
    """The worked example of a document of docs/: its blocks, and its commands with the line that each prints."""

    def __init__(self, name):
        self.text = (ROOT / "docs" / name).read_text()
        self.commands = re.findall(r"^\$ highwater (.*)\n(.*)$", self.text, re.M)

    def blocks(self, language):
        """The blocks of a language."""
        return re.findall(rf"^```{language}\n(.*?)^```$", self.text, re.M | re.S)

    def block(self, language):
        """The only block of a language."""
        (found,) = self.blocks(language)
        return found

    def folder(self, tmp_path_factory, *plugins):
        """A folder of a user, with the plugins and the scenarios of the document."""
        made = tmp_path_factory.mktemp("user")
        for plugin, block in zip(plugins, self.blocks("python"), strict=True):
            (made / f"{plugin}.py").write_text(block)
        (made / "highwater.toml").write_text(self.block("toml"))
        return made


def run(folder, *arguments, program=highwater):
    """The command in a folder; nothing is compiled, since a few hundred states do not need it."""
    code, out, error = program(folder, *arguments, HIGHWATER_COMPILE="no")
    return code, out + error
