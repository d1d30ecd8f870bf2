"""A real browser, where there is one: Debian's chromium, driven by its chromedriver through selenium."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

AXE = "axe-core@4.10.3"
"""The rules of accessibility: an npm package that only these tests use."""

REFUSED: list[str] = []
"""Why it could not be fetched; it is tried once."""


def why_none():
    """Why no browser can be driven here; empty when one can."""
    try:
        import selenium  # noqa: F401  # only whether it is there
    except ImportError:
        return "selenium is not installed"
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        return "there is no chromium (apt-get install chromium chromium-driver)"
    return "" if shutil.which("chromedriver") else "there is no chromedriver (apt-get install chromium-driver)"


def start(dark=False):
    """A browser without a window; skips the test, with the reason, where there is none or it does not start."""
    if why_none():
        pytest.skip(why_none())
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1500,1000"):
        options.add_argument(flag)
    if dark:
        options.add_argument("--force-dark-mode")
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    try:
        driver = webdriver.Chrome(options=options, service=service)
    except WebDriverException as error:
        pytest.skip(f"the browser does not start: {str(error).splitlines()[0][:120]}")
    driver.set_page_load_timeout(60)
    return driver


def requests_of(driver):
    """The addresses that the browser has asked for since this was called last."""
    out = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            out.append(message["params"]["request"]["url"])
    return out


def complaints_of(driver):
    """What stands in the console since this was called last."""
    return [entry["message"] for entry in driver.get_log("browser")]


def axe():
    """The text of axe-core, from the cache or from the npm registry; skips the test where it cannot be had."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "highwater-tests"
    kept = cache / f"{AXE}.min.js"
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    if REFUSED or not shutil.which("npm"):
        pytest.skip(*REFUSED or ["there is no npm to fetch axe-core with"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = ["npm", "pack", "--silent", "--fetch-retries=0", "--fetch-timeout=30000", AXE]
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
            with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
                text = archive.extractfile("package/axe.min.js").read()
        except (OSError, subprocess.SubprocessError, StopIteration, tarfile.TarError, KeyError) as error:
            REFUSED.append(f"axe-core cannot be had: {type(error).__name__}")
            pytest.skip(*REFUSED)
    cache.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(text)
    return text.decode()
