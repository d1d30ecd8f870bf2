"""docs/releases/: the model as each revision runs it, and what each changed, as the files of the model say it today."""

import pytest
from highwater.explorer.command_line.releases_pages import pages
from highwater.properties.registry import MODELS
from support.pages import ROOT

FOLDER = ROOT / "docs" / "releases"
WANTED = pages(MODELS["kafka"])


@pytest.mark.parametrize("name", list(WANTED))
def test_a_page_is_what_the_model_says(name, request):
    path = FOLDER / name
    if request.config.getoption("--rewrite-golden"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(WANTED[name])
    assert path.read_text() == WANTED[name], f"{name} is old: pytest tests/test_releases_pages.py --rewrite-golden"


def test_there_is_no_other_page():
    assert {path.name for path in FOLDER.glob("*.md")} == {*WANTED}


def test_no_page_has_a_switch():
    switches = [name for name, one in MODELS["kafka"].config.settings.items() if one.group == "switch"]
    for name, text in WANTED.items():
        assert not [switch for switch in switches if f"s.config.{switch} " in text or f"s.config.{switch}:" in text], name
