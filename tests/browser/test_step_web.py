"""`highwater step --web` in a real browser: steps are links, nothing is asked of anybody else, and it is accessible."""

import pytest
from support.browser import axe, complaints_of, requests_of
from support.stepping import served


@pytest.fixture(scope="module")
def place():
    """The address of a walk that is served."""
    with served() as (walks, server):
        yield f"http://127.0.0.1:{server.server_port}/{walks.token}/"


def test_a_step_is_a_link_and_undo_leads_back(browser, place):
    requests_of(browser), complaints_of(browser)
    browser.get(place)
    browser.find_element("link text", "controller_shrink_isr broker=0").click()
    assert browser.current_url == f"{place}1#1"
    assert "controller_shrink_isr broker=0" in browser.find_element("tag name", "body").text
    browser.find_element("link text", "undo").click()
    assert browser.current_url == f"{place}#0"
    asked = [url for url in requests_of(browser) if not url.startswith(("data:", "about:", "chrome"))]
    assert asked and all(url.startswith(place.rsplit("/", 2)[0]) for url in asked)
    assert [line for line in complaints_of(browser) if "favicon" not in line] == []


def test_it_is_accessible(browser, place):
    browser.get(place)
    browser.execute_script(axe())
    found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    assert [(violation["id"], violation["nodes"][0]["html"][:120]) for violation in found["violations"]] == []
