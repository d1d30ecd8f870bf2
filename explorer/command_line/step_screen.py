"""`highwater step --screen`: the walk by hand on a whole screen: the path here, what the last step changed, what is enabled."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, OptionList, Static

from ...model.language.errors import UsageError
from ..plain.stepping import Stepper


class Screen(App[None]):
    """One walk. Enter takes the step that is marked; the line below takes what `highwater step` takes as lines."""

    CSS = """
    OptionList { height: 1fr; border: solid $primary; }
    #state { height: 1fr; border: solid $primary; overflow-y: auto; }
    #way { width: 2fr; border: solid $primary; overflow-y: auto; }
    #right { width: 3fr; }
    #answer { height: auto; max-height: 12; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("u", "undo", "undo"),
        ("0", "begin", "initial state"),
        ("slash", "ask", "why not, nearest, save, ..."),
        ("escape", "choices", "back to the steps"),
        ("q", "quit", "quit"),
    ]

    def __init__(self, stepper: Stepper, obey: Callable[[str], list[str]]) -> None:
        """`obey` does what a line says, and answers what is to be read."""
        super().__init__()
        self.stepper, self.obey = stepper, obey

    def compose(self) -> ComposeResult:
        """Left the path here; right the state and what is enabled; below the answer and a line to ask in."""
        with Horizontal():
            yield Static(id="way", markup=False)
            with Vertical(id="right"):
                yield Static(id="state", markup=False)
                yield OptionList(id="enabled")
        yield Static(id="answer", markup=False)
        yield Input(placeholder="/ and then: why not ACTION, nearest PROPERTY, follow, jump N, save FILE", id="line")
        yield Footer()

    def on_mount(self) -> None:
        """Show where it stands."""
        self.show()
        self.action_choices()

    def show(self, said: list[str] | None = None) -> None:
        """Draw everything anew."""
        stepper = self.stepper
        way = [f"{number} {step.label}" for number, step in enumerate(stepper.steps, 1)]
        self.query_one("#way", Static).update("\n".join(["0 the initial state", *way]))
        violated = [f"! {name} is violated here" for name in stepper.violated()]
        self.query_one("#state", Static).update("\n".join([*violated, *stepper.changes(), "", *stepper.facts()]))
        choices = self.query_one("#enabled", OptionList)
        choices.clear_options()
        choices.add_options([choice.label for choice in stepper.enabled()])
        if choices.option_count:
            choices.highlighted = 0
        self.query_one("#answer", Static).update("\n".join(said or []))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the marked step."""
        self.stepper.choose(event.option_index + 1)
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what the line says."""
        said = self.obey(event.value.strip())
        event.input.value = ""
        self.show(said)
        self.action_choices()

    def action_undo(self) -> None:
        """One step back."""
        self.move(self.stepper.undo)

    def action_begin(self) -> None:
        """To the initial state."""
        self.move(lambda: self.stepper.jump(0))

    def move(self, act: Callable[[], Any]) -> None:
        """Go somewhere, or say why not."""
        try:
            act()
        except UsageError as error:
            self.show([str(error)])
        else:
            self.show()

    def action_ask(self) -> None:
        """To the line below."""
        self.query_one("#line", Input).focus()

    def action_choices(self) -> None:
        """To the steps."""
        self.query_one("#enabled", OptionList).focus()
