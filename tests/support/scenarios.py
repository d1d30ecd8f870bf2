"""Scenarios as pytest items, in a pytest run of their own."""

import contextlib
import io
import textwrap

import pytest

from support.elsewhere import python

TWO = """
    [[scenario]]
    name = "published two"
    model = "published"
    revision = "kip-320"
    properties = ["weak_isr", "strong_isr"]
    [scenario.settings]
    brokers = 2

    [[scenario]]
    name = "before truncation"
    model = "published"
    revision = "high-watermark"
    properties = ["weak_isr", "hw_within_log"]
    expect = { weak_isr = "violated" }
    [scenario.settings]
    brokers = 2
"""


FLAGS = ("-p", "no:cacheprovider", "-rA")


REWRITTEN = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""The packages of these tests, which a pytest within pytest takes for the plugin's."""


def pytest_in(folder, text, *flags, name="highwater.toml"):
    """Exit code and output of a run in this process: what it imports and compiles is there for the next."""
    (folder / name).write_text(textwrap.dedent(text))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = pytest.main([*FLAGS, "-p", "no:faulthandler", "-W", REWRITTEN, *flags])
    return code, out.getvalue()


def pytest_beside(folder, text, *flags, name="highwater.toml"):
    """The same in a process of its own."""
    (folder / name).write_text(textwrap.dedent(text))
    code, out, error = python(folder, "-m", "pytest", *FLAGS, *flags)
    return code, out + error
