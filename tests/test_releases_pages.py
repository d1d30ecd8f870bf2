"""docs/releases/: the model as each revision runs it, and what each changed, as the files of the model say it today."""

from functools import cache

import pytest
from highwater.explorer.command_line.releases_pages import COMMON, INDEX, pages
from highwater.properties.registry import MODELS
from support.pages import ROOT

FOLDERS = {"kafka": ROOT / "docs" / "releases", "kraft": ROOT / "docs" / "releases" / "kraft"}
NAMES = [(model, name) for model in FOLDERS for name in (INDEX, COMMON, *(f"{r}.md" for r in MODELS[model].revisions))]

wanted = cache(lambda model: pages(MODELS[model]))
"""The text of each page of a model, by its name."""


@pytest.mark.parametrize(("model", "name"), NAMES)
def test_a_page_is_what_the_model_says(model, name, request):
    path, text = FOLDERS[model] / name, wanted(model)[name]
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text, f"{name} is old: pytest tests/test_releases_pages.py --rewrite-golden"


@pytest.mark.parametrize("model", FOLDERS)
def test_there_is_no_other_page(model):
    assert {path.name for path in FOLDERS[model].glob("*.md")} == {*wanted(model)}


@pytest.mark.parametrize("model", FOLDERS)
def test_no_page_has_a_switch(model):
    switches = [name for name, setting in MODELS[model].config.settings.items() if setting.group == "switch"]
    for name, text in wanted(model).items():
        assert not [switch for switch in switches if f"s.config.{switch} " in text or f"s.config.{switch}:" in text], name
