"""The measures of the house for code: small, described, nothing swallowed, the same for simulated devices."""

from __future__ import annotations

import ast

import pytest

from tests.architecture import tree

LONGEST_FILE = 450
LONGEST_FUNCTION = 60

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_no_file_is_long() -> None:
    long = [
        f"{tree.name(path)}: {lines} lines"
        for path in tree.files(*tree.CODE, suffix=".py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    ]
    assert not long, f"no file has more than {LONGEST_FILE} lines"


def test_no_function_is_long() -> None:
    long = [
        f"{tree.name(path)}:{node.lineno} {node.name}: {lines} lines"
        for path, node in tree.nodes(*tree.CODE)
        if isinstance(node, Function)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long, f"no function has more than {LONGEST_FUNCTION} lines"


def undescribed(module: ast.Module) -> list[str]:
    """Return what lacks its docstring: the module, its classes, its public functions and methods."""
    bare = [] if ast.get_docstring(module) else ["module"]
    inside: list[ast.AST] = [module]
    while inside:
        for node in ast.iter_child_nodes(inside.pop()):
            if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                bare.append(f"{node.lineno} {node.name}")
            if isinstance(node, ast.ClassDef):
                inside.append(node)
    return bare


def test_what_is_public_says_what_it_is() -> None:
    bare = [
        f"{tree.name(path)}:{what}"
        for path in tree.files(*tree.PRODUCT, "sim_hardware", suffix=".py")
        for what in undescribed(tree.syntax(path))
    ]
    assert not bare, "every module, class and public function has a docstring"


def swallows(node: ast.AST) -> bool:
    """Tell whether a node takes an exception and does nothing at all about it."""
    if isinstance(node, ast.ExceptHandler):
        return all(
            isinstance(line, ast.Pass) or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            for line in node.body
        )
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "suppress":
        return any(ast.unparse(what) in ("Exception", "BaseException") for what in node.args)
    return False


def test_no_exception_is_swallowed() -> None:
    silent = [
        f"{tree.name(path)}:{node.lineno}"  # type: ignore[attr-defined]
        for path, node in tree.nodes(*tree.CODE)
        if swallows(node)
    ]
    assert not silent, "an exception is handled, told or passed on; it never just ends"


@pytest.mark.parametrize(
    ("line", "is_swallowed"),
    [
        ("try: x()\nexcept KeyError: pass", True),
        ("try: x()\nexcept KeyError: ...", True),
        ("with contextlib.suppress(Exception): x()", True),
        ("with suppress(FileNotFoundError): x()", False),
        ("try: x()\nexcept KeyError: y = None", False),
    ],
)
def test_a_swallowed_exception_is_seen(line: str, is_swallowed: bool) -> None:
    assert any(swallows(node) for node in ast.walk(ast.parse(line))) is is_swallowed


def turns_on_simulation(node: ast.AST) -> bool:
    """Tell whether a branch asks if a device is simulated, unless it is the one that refuses such devices."""
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return False
    asked = ast.unparse(node.test)
    return "simulat" in asked.lower() and "allow_simulated" not in asked


DEVICES = "firmware_bridge/service/devices.py"  # what ``sabot devices`` says


@pytest.mark.field("BR-048")
def test_the_product_behaves_the_same_with_simulated_devices() -> None:
    # the wires lay the flag out, view and readers repeat what a device says of itself; neither behaves
    may_say = ("drivers/protocol/", "drivers/line/", "firmware_bridge/view/", "firmware_bridge/readers/", DEVICES)
    branches = [
        f"{tree.name(path)}:{node.lineno}"  # type: ignore[attr-defined]
        for path, node in tree.nodes(*tree.PRODUCT)
        if turns_on_simulation(node) and not tree.name(path).startswith(may_say)
    ]
    assert not branches, "no 'if simulated' in the product, but for allow_simulated, which refuses such devices"
