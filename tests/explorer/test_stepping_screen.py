"""The walk by hand on a whole screen, played by textual's own pilot."""

import asyncio

import pytest
from highwater.explorer.command_line.step import answers
from support.stepping import CLAIMS, stepper

pytest.importorskip("textual")


def played(*keys):
    """The walk, and the texts of the screen, after some keys; a key that begins with `/` is a line that is typed."""
    from highwater.explorer.command_line.step_screen import Screen
    from textual.widgets import Static

    walk = stepper()
    screen = Screen(walk, answers(walk, [CLAIMS["weak_isr"]], 60.0, 1.0))

    async def play():
        async with screen.run_test(size=(120, 40)) as pilot:
            for key in keys:
                if key.startswith("/"):
                    await pilot.press("slash", *("space" if c == " " else "underscore" if c == "_" else c for c in key[1:]))
                    await pilot.press("enter")
                else:
                    await pilot.press(key)
                await pilot.pause()
            return {name: str(screen.query_one(f"#{name}", Static).render()) for name in ("way", "state", "answer")}

    return walk, asyncio.run(play())


def test_enter_takes_the_marked_step_and_u_takes_it_back():
    walk, texts = played("down", "enter")
    assert [step.label for step in walk.steps] == ["controller_shrink_isr broker=1"]
    assert "1 controller_shrink_isr broker=1" in texts["way"] and "quorum" in texts["state"]
    walk, texts = played("enter", "u", "u")
    assert walk.steps == [] and "nothing to undo" in texts["answer"]


def test_questions_are_typed_and_answered():
    _, texts = played("/why not leader_write")
    assert "leader_write leader=0 is not enabled: the guard" in texts["answer"]
    walk, texts = played("/nearest weak_isr", "/follow")
    assert len(walk.steps) == 8 and "weak_isr is violated here" in texts["state"]
    walk, _ = played("/nearest weak_isr", "/follow", "0")
    assert walk.steps == []
