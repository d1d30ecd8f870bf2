"""The page of a trace in a real browser: what it shows, its keys, that it asks for nothing, and that it is accessible."""

from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from support.browser import axe, complaints_of, requests_of

S1, S3, S6 = "s1_silent_divergence", "s3_truncation_loses_data", "s6_stale_leader_answers"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name in (S1, S3, S6):
        assert main(["show", name, "--html", str(folder / f"{name}.html")]) == 0
    assert main(["show", S6, "--html", str(folder / "beside.html"), "--against", "kip-320"]) == 0
    return folder


def visit(browser, pages, name, at=""):
    complaints_of(browser), requests_of(browser)
    browser.get("about:blank")
    browser.get((pages / f"{name}.html").as_uri() + at)


def text(browser, selector):
    from selenium.webdriver.common.by import By

    return [node.text for node in browser.find_elements(By.CSS_SELECTOR, selector)]


def press(browser, *keys):
    from selenium.webdriver.common.by import By

    for key in keys:
        browser.find_element(By.TAG_NAME, "body").send_keys(key)


def place(browser):
    return text(browser, "#place")[0]


def test_the_first_screen_says_which_record_is_lost_and_where(browser, pages):
    visit(browser, pages, S1)
    assert place(browser) == "step 17 of 18"
    said = "log_prefix_convergence is false: broker 0 (follower in epoch 2) has c of epoch 1 at offset 2, leader 1 has b of"
    assert text(browser, ".why")[0].startswith(said)
    assert text(browser, ".violated h3") == ["log_prefix_convergence is violated here"]
    assert text(browser, "#panel0 .card h3")[0] == "17 truncate_to_answer partition=0 follower=0"
    logs = browser.find_elements("css selector", ".log")
    cells = [" ".join(cell.text for cell in log.find_elements("css selector", ".cell")) for log in logs]
    assert cells == ["0a 0a 1c 1c", "0a 0a 0b 0b 2d 2d"]
    assert text(browser, ".ring") == ["1c", "1c", "0b", "0b"]
    spoken = browser.find_elements("css selector", ".log")[0].get_attribute("aria-label")
    assert spoken == "log of broker 0: 0a 0a 1c 1c; high watermark 0, log end offset 4; another replica differs at 2, 3"
    assert browser.execute_script("return document.querySelector('.violated').getBoundingClientRect().bottom < innerHeight")


def test_keys_the_slider_buttons_and_links(browser, pages):
    from selenium.webdriver.common.keys import Keys

    visit(browser, pages, S1, "#3")
    assert place(browser) == "step 3 of 18"
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert place(browser) == "step 4 of 18" and browser.current_url.endswith("#4")
    press(browser, Keys.HOME)
    assert place(browser) == "step 0 of 18" and text(browser, "#panel0 .card h3")[0] == "the initial state"
    press(browser, "d")
    assert place(browser) == "step 7 of 18" and text(browser, ".ring") == ["1c", "1c", "0b", "0b"]
    press(browser, "f")
    assert place(browser) == "step 17 of 18"
    press(browser, Keys.END, Keys.ARROW_RIGHT)
    assert place(browser) == "step 18 of 18"
    slider = browser.find_element("id", "slider")
    slider.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert place(browser) == "step 16 of 18"
    browser.find_element("css selector", "button[data-key=ArrowLeft]").click()
    assert place(browser) == "step 15 of 18"
    browser.find_element("id", "row6").click()
    assert place(browser) == "step 6 of 18"
    browser.execute_script("location.hash = '#step-9'")
    assert place(browser) == "step 9 of 18" and text(browser, "#status")
    assert browser.execute_script("return document.querySelectorAll('[aria-current=step]').length") == 1


def test_what_a_step_changed_is_marked_and_its_source_opens(browser, pages):
    visit(browser, pages, S3, "#9")
    assert "broker 1" in " ".join(text(browser, "#panel0 .card:has(.changed) h3"))
    assert browser.find_elements("css selector", ".log.changed .was") or browser.find_elements("css selector", ".log.changed")
    details = browser.find_element("css selector", "#panel0 details summary")
    assert details.text.startswith("model/broker/start.py:")
    details.click()
    assert "def start_broker(s: Kafka, broker: Broker) -> bool:" in text(browser, "#panel0 pre")[0]
    assert "Design: V3 E (E1, E2). Kafka: KafkaServer.startup" in text(browser, "#panel0 .story")[0]


def test_two_revisions_stand_side_by_side_and_the_refusing_guard_is_quoted(browser, pages):
    visit(browser, pages, "beside", "#10")
    assert [node.text for node in browser.find_elements("css selector", ".side > h2")] == ["kip-279", "kip-320"]
    assert "answer_epoch_request" in text(browser, "#panel0 .card h3")[0]
    violated = text(browser, "#panel1 .violated")[0]
    assert violated.startswith("under kip-320 the steps end here") and "the guard `not can_answer(" in violated
    assert "Enabled here: " in violated
    boxes = browser.execute_script("return [...document.querySelectorAll('.side')].map(one => one.getBoundingClientRect().left)")
    assert boxes[0] < boxes[1]


@pytest.mark.parametrize("name", [S1, "beside"])
def test_nothing_is_asked_for_and_nothing_is_complained_of(browser, pages, name):
    visit(browser, pages, name)
    press(browser, "f", "d")
    asked = [address for address in requests_of(browser) if not address.startswith(("about:", "data:"))]
    assert {address.partition("#")[0] for address in asked} == {(pages / f"{name}.html").as_uri()}
    assert complaints_of(browser) == []


def test_an_injected_script_does_not_run(browser, pages):
    whole = (pages / f"{S1}.html").read_text()
    (pages / "injected.html").write_text(whole.replace("</header>", "<script>window.ran = 1</script></header>"))
    visit(browser, pages, "injected")
    assert browser.execute_script("return window.ran") is None and "Content Security Policy" in complaints_of(browser)[0]


@pytest.mark.parametrize("name", [S1, "beside"])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_core_finds_nothing(browser, pages, name, dark):
    rules = axe()
    visit(browser, pages, name)
    media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(22, 24, 28)") == dark
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.execute_script(rules)
    ask = "axe.run(document, {runOnly: arguments[0]}).then(r => arguments[1](r.violations), e => arguments[1](String(e)))"
    found = browser.execute_async_script(ask, TAGS)
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found] == []


def test_it_prints_on_paper(browser, pages):
    visit(browser, pages, S1)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert len(printed) > 10_000


def test_the_files_are_there(pages):
    assert all(Path(pages / f"{name}.html").stat().st_size < 100_000 for name in (S1, S3, S6, "beside"))


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1400, 900)])
def test_nothing_lies_beyond_the_width_and_both_logs_are_in_view(browser, pages, width, height):
    before = browser.get_window_size()
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        visit(browser, pages, S1)
        assert browser.execute_script("return innerWidth") == width
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        if width >= 768:
            seen = "return [...document.querySelectorAll('.log')].every(one => one.getBoundingClientRect().bottom <= innerHeight)"
            assert browser.execute_script(seen) and len(browser.find_elements("css selector", ".log")) == 2
        sizes = "[...document.querySelectorAll('body *')].map(one => parseFloat(getComputedStyle(one).fontSize))"
        assert browser.execute_script(f"return Math.min(...{sizes})") >= 11
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.set_window_size(before["width"], before["height"])
