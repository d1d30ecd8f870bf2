"""Rules on the text of the packages: what docstrings say, which words appear, how long things are.

Which package may import which stands in pyproject.toml, where lint-imports checks it.
"""

import ast
import importlib
import re
import sys
from functools import cache
from pathlib import Path

import highwater.explorer
import highwater.model
import highwater.properties
import highwater.traces
import pytest
from highwater.properties.registry import MODELS

ROOTS = {
    package.__name__.rpartition(".")[2]: Path(package.__file__).parent
    for package in (highwater.model, highwater.properties, highwater.explorer, highwater.traces)
}
FILES = {
    f"{name}/{path.relative_to(root).as_posix()}": path for name, root in ROOTS.items() for path in sorted(root.rglob("*.py"))
}
NAMING_NUMBA = ("numba_bridge", "numba_functions", "numba_private", "pipeline")
COMPILING = {f"model/language/machine_code/{name}.py" for name in NAMING_NUMBA}
FILE_LIMIT = 400
FUNCTION_LIMIT = 60


@cache
def tree(name):
    """The syntax tree of a file."""
    return ast.parse(FILES[name].read_text())


def imports(name):
    """Every module that a file imports, by its full name."""
    package = ["highwater", *name.split("/")[:-1]]
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_model_file(name):
    """A file that says what a protocol does: not the language in which it is said."""
    return name.startswith("model/") and not name.startswith("model/language/")


@pytest.mark.parametrize("name", [n for n in FILES if is_model_file(n)])
def test_models_import_nothing_but_models(name):
    assert {module.split(".")[0] for module in imports(name)} <= {"highwater", "__future__", "typing", "collections"}


def test_only_these_files_name_numba():
    naming = {name for name in FILES if any(module.split(".")[0] == "numba" for module in imports(name))}
    assert naming == COMPILING


def test_private_parts_of_numba_that_are_replaced_stand_in_one_file_with_the_versions_that_were_tried():
    root = Path(__file__).parents[1]
    numba_private = importlib.import_module("highwater.model.language.machine_code.numba_private")
    lowest, newest = numba_private.TRIED
    assert f'"numba>={lowest.removesuffix(".0")},' in (root / "pyproject.toml").read_text()
    assert f"numba=={newest}\n" in (root / "constraints.txt").read_text()
    replaced = re.compile(r"\b_Cache\b|Record\.__repr__ =|ensure_blas|\._cache = ")
    found = [name for name in FILES if replaced.search(FILES[name].read_text())]
    assert found == ["model/language/machine_code/numba_private.py"]


def test_syntax_trees_are_read_in_one_folder():
    """Elsewhere the typed tree is read, or a function of that folder is asked."""
    for name in (name for name in FILES if not name.startswith("model/language/reading/")):
        named = {module for module in imports(name) if module.partition(".")[0] == "ast"}
        assert named != {"ast"} and named <= {"ast", "ast.literal_eval", "ast.unparse"}, name


OF_THE_COMMANDS = ("explorer/command_line/", "explorer/output/documents.py")  # `perform` has documents, too


@pytest.mark.parametrize("name", [n for n in FILES if n.startswith("explorer/") and not n.startswith(OF_THE_COMMANDS)])
def test_the_explorer_names_nothing_of_kafka(name):
    identifiers = {n.id for n in ast.walk(tree(name)) if isinstance(n, ast.Name)}
    identifiers |= {n.attr for n in ast.walk(tree(name)) if isinstance(n, ast.Attribute)}
    words = {"broker", "brokers", "isr", "leader", "follower", "zookeeper", "replica", "leader_epoch", "high_watermark"}
    assert identifiers & words == set()


def packages():
    """The files of packages, but those of models and the one that only makes `highwater` a package."""
    return [n for n in FILES if n.endswith("/__init__.py") and not n.startswith(("model/", "explorer/package/"))]


@pytest.mark.parametrize("name", packages())
def test_a_package_names_its_modules(name):
    named = re.findall(r"`(\w+)`|^    (\w+)(?:, (\w+))?  ", ast.get_docstring(tree(name), clean=False) or "", re.M)
    modules = {path.stem for path in FILES[name].parent.glob("*.py")} - {"__init__"}
    assert modules <= {word for words in named for word in words}


def functions(name):
    """Functions and methods of a file, but not those within functions."""
    for node in tree(name).body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from (inner for inner in node.body if isinstance(inner, ast.FunctionDef))


def is_overload_of_a_library(function, name):
    """A method that a base class of the language or of a library prescribes."""
    visitor = function.name.startswith("visit_")
    return visitor or function.name in {"span", "normal_span", "legal", "parse", "show", "typed", "text"}


@pytest.mark.parametrize("name", FILES)
def test_public_functions_say_what_they_do(name):
    for function in functions(name):
        if function.name.startswith("_") or is_overload_of_a_library(function, name):
            continue
        if (
            len(function.body) == 1
            and isinstance(function.body[0], ast.Expr)
            and isinstance(function.body[0].value, ast.Constant)
        ):
            if function.body[0].value.value is Ellipsis:
                continue  # a member of a protocol
        text = ast.get_docstring(function) or ""
        assert len(text) > 5 and text[0] != " ", f"{name}:{function.lineno} {function.name}"


@pytest.mark.parametrize("name", FILES)
def test_files_and_functions_fit_a_sitting_and_a_screen(name):
    assert len(FILES[name].read_text().splitlines()) < FILE_LIMIT
    for function in functions(name):
        assert (function.end_lineno or 0) - function.lineno < FUNCTION_LIMIT, function.name


def versions():
    """Every function that an action of a model can be."""
    for model in MODELS.values():
        for action in model.actions:
            for version in action.versions:
                yield pytest.param(model, action, version, id=f"{model.name}-{action.name}-{version.__name__}")


@pytest.mark.parametrize(("model", "action", "version"), list(versions()))
def test_an_action_says_its_design_kafkas_name_and_what_it_modifies(model, action, version):
    text = version.__doc__ or ""
    sections = [heading for heading, _ in re.findall(r"\b(Design|Kafka|Modifies|Reads):\s*(\S+)", text)]
    assert sections[:3] == ["Design", "Kafka", "Modifies"] and sections[3:] in ([], ["Reads"])
    assert text.splitlines()[0].endswith(".")
    modified = " ".join(text[text.index("Modifies:") + 9 :].partition("Reads:")[0].split()).rstrip(".")
    fields = set(model.state.fields)
    for variable in re.findall(r"(?:^|, )([a-z_]+)", re.sub(r"\[[^\]]*\]", "", modified)):
        assert variable in fields, f"{variable} is not a variable of the state"


def test_no_test_takes_a_folder_of_tests_for_a_package():
    """`python -m pytest` puts the root on the path: there `traces` is the package, and not tests/traces."""
    for path in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module.split(".")[0] not in ROOTS, f"{path}:{node.lineno}: write `from ..{node.module} import ...`"


def test_every_python_file_is_read():
    assert len(FILES) > 60 and "explorer/plain/explore.py" in FILES
    assert sys.version_info >= (3, 11)
