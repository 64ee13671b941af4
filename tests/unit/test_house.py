"""The house of Footnote: what may import what, what stays pure, and how large a room may grow.

The rules are read off the syntax tree of every file under `src/footnote`. An import counts wherever it stands: at the
top, inside a function, under `if TYPE_CHECKING`, or as `importlib.import_module("footnote…")`.

- Imports point down `LAYERS`, never up. `footnote/__init__.py` is the public face: it may import anything, and nothing
  below it imports it.
- No circle of modules anywhere. An edge is what a module names; that Python also runs the `__init__` of each package
  on the way does not count.
- Pure rooms do no I/O: they import nothing of `IO_MODULES` and call nothing of `IO_CALLS`. The log's
  stores and those who keep its checkpoints, and `provenance.log`, which opens them, are exempt.
- No module has a name that says nothing.
- A source file (Python, JavaScript) has at most 400 lines, everything counted. A function has at most 40 lines of code:
  every line from `def` to its end that holds code, the signature and nested functions included; blank lines, lines of
  comment alone, decorators and the docstring are not code. Packs are data and have no limit.

The second half feeds each rule a small bad tree, so that a rule which sees nothing is noticed.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

PACKAGE = "footnote"
SOURCE = Path(__file__).resolve().parents[2] / "src" / PACKAGE

LAYERS = """
    __main__ cli serve web connect audit session settings answers operations plans lineage catalog sources documents provenance
    access evidence figures errors
    """.split()
DATA = "packs"

PURE = ("answers", "errors", "evidence", "figures", "lineage", "provenance")
STORES = tuple(
    f"{PACKAGE}.provenance.{name}"
    for name in "apart durable keyfile lock log notary outside postgres rotation sqlite store timestamps witness writer".split()
)
IO_MODULES = tuple(
    """
    anyio asyncio concurrent ctypes duckdb fcntl filelock ftplib glob http httpx importlib.metadata importlib.resources
    mcp mmap multiprocessing os pathlib pkgutil platformdirs psycopg pymysql queue requests select selectors shutil
    signal smtplib socket socketserver sqlalchemy sqlite3 ssl starlette subprocess sys tempfile threading urllib.request
    urllib3 uvicorn
    """.split()
)
IO_CALLS = ("open", "input", "print", "__import__")

EMPTY_NAMES = ("util", "utils", "helper", "helpers", "manager", "managers", "common", "misc")

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 40

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One Python file of the package, by its dotted name."""

    name: str
    path: Path
    is_package: bool

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def room(self) -> str:
        """The first folder or file below the package; empty for the public face."""
        return self.name.partition(".")[2].partition(".")[0]

    def at(self, line: int) -> str:
        return f"{self.name}:{line}"


def modules_of(root: Path) -> dict[str, Module]:
    """Every Python file under `root`, which is the folder of the package."""
    found: dict[str, Module] = {}
    for path in sorted(root.rglob("*.py")):
        parts = (PACKAGE, *path.relative_to(root).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, path, is_package)
    return found


# --- reading imports --------------------------------------------------------------------------------------------------


def imported_names(module: Module) -> Iterator[tuple[int, str, str]]:
    """Line, module and member ("" for the module itself) of every import, relative ones made absolute."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, origin_of(module, node), alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and called_name(node) in {"import_module", "__import__"}:
            yield from ((node.lineno, str(a.value), "") for a in node.args[:1] if isinstance(a, ast.Constant))


def origin_of(module: Module, node: ast.ImportFrom) -> str:
    """The absolute name behind `from … import`."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, node.module] if node.module else kept)


def called_name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def own_imports(module: Module, modules: dict[str, Module]) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every module of ours that `module` imports."""
    for line, origin, member in imported_names(module):
        if origin == PACKAGE or origin.startswith(f"{PACKAGE}."):
            submodule = f"{origin}.{member}"
            is_folder = (modules_root(modules) / submodule.replace(".", "/")).is_dir()
            yield line, submodule if member and (submodule in modules or is_folder) else origin


def modules_root(modules: dict[str, Module]) -> Path:
    """The folder that holds the package's folder."""
    name, module = next(iter(modules.items()))
    return module.path.parents[name.count(".") + module.is_package]


# --- the rules --------------------------------------------------------------------------------------------------------


def upward_imports(root: Path) -> list[str]:
    modules = modules_of(root)
    faults = []
    for module in modules.values():
        if module.room == DATA:
            # A docstring makes the folder a package, so that its files can be found; anything more is code.
            code = module.tree.body[ast.get_docstring(module.tree) is not None :]
            faults += [f"{module.at(node.lineno)} holds code, but packs are data" for node in code]
            continue
        if module.room and module.room not in LAYERS:
            faults.append(f"{module.name} is no room of the house")
            continue
        for line, target in own_imports(module, modules) if module.room else ():
            room = target.partition(".")[2].partition(".")[0]
            if not room:
                faults.append(f"{module.at(line)} imports the public face of the package")
            elif room not in LAYERS:
                faults.append(f"{module.at(line)} imports {target}, which is no room of the house")
            elif LAYERS.index(room) < LAYERS.index(module.room):
                faults.append(f"{module.at(line)} imports {target}, which stands above it")
    return faults


def circles(root: Path) -> list[str]:
    modules = modules_of(root)
    edges = {
        name: sorted({target for _, target in own_imports(module, modules) if target in modules})
        for name, module in modules.items()
    }
    found: list[str] = []
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            found.append(" -> ".join((*trail[trail.index(name) :], name)))
        elif name not in done:
            for target in edges[name]:
                visit(target, (*trail, name))
            done.add(name)

    for name in edges:
        visit(name, ())
    return found


def impure_rooms(root: Path) -> list[str]:
    faults = []
    for module in modules_of(root).values():
        if module.room not in PURE or module.name.startswith(STORES):
            continue
        for line, origin, member in imported_names(module):
            for name in IO_MODULES:
                if f"{origin}.{member}.".startswith(f"{name}."):
                    faults.append(f"{module.at(line)} imports {name}, but {module.room} is pure")
        faults += [
            f"{module.at(node.lineno)} calls {node.func.id}(), but {module.room} is pure"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IO_CALLS
        ]
    return faults


def empty_names(root: Path) -> list[str]:
    return [
        f"{name} has a name that says nothing"
        for name in modules_of(root)
        if set(name.replace("_", ".").split(".")) & set(EMPTY_NAMES)
    ]


def long_files(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)} has {lines} lines; {MOST_LINES_OF_A_FILE} are allowed"
        for path in sorted((*root.rglob("*.py"), *root.rglob("*.js")))
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES_OF_A_FILE
        and path.relative_to(root).parts[0] != DATA
    ]


def long_functions(root: Path) -> list[str]:
    faults = []
    for module in modules_of(root).values():
        code = lines_of_code(module.text)
        for node in ast.walk(module.tree):
            if isinstance(node, AnyFunction):
                own = set(range(node.lineno, (node.end_lineno or node.lineno) + 1)) - docstring_lines(node)
                if (length := len(own & code)) > MOST_LINES_OF_A_FUNCTION:
                    faults.append(f"{module.at(node.lineno)} {node.name} has {length} lines of code")
    return faults


def lines_of_code(text: str) -> set[int]:
    """Numbers of the lines that hold code; every line of a string over several lines counts, blank ones too."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def docstring_lines(function: AnyFunction) -> set[int]:
    if ast.get_docstring(function, clean=False) is None:
        return set()
    first = function.body[0]
    return set(range(first.lineno, (first.end_lineno or first.lineno) + 1))


# --- the house as it is -----------------------------------------------------------------------------------------------


def test_imports_point_down() -> None:
    assert f"{PACKAGE}.errors" in modules_of(SOURCE), "the house is not where this test looks for it"
    assert upward_imports(SOURCE) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(SOURCE) == []


def test_pure_rooms_do_no_input_or_output() -> None:
    assert impure_rooms(SOURCE) == []


def test_every_module_has_a_name_that_says_something() -> None:
    assert empty_names(SOURCE) == []


def test_no_file_and_no_function_is_too_long() -> None:
    assert long_files(SOURCE) + long_functions(SOURCE) == []


# --- each rule notices ------------------------------------------------------------------------------------------------

Rule = Callable[[Path], list[str]]


def build(root: Path, files: dict[str, str]) -> Path:
    """A small package under `root`; the folder of the package."""
    for name, text in files.items():
        path = root / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / PACKAGE


def function_of(lines: int) -> str:
    """A function of so many lines of code, with a docstring, comments and blank lines that do not count."""
    body = "".join(f"    # why\n\n    x = {number}\n" for number in range(lines - 1))
    return f'def f():\n    """What.\n\n    More.\n    """\n{body}'


BAD: dict[str, tuple[Rule, dict[str, str], str]] = {
    "an import of a layer above": (
        upward_imports,
        {"figures.py": "import footnote.cli\n", "cli.py": ""},
        "footnote.figures:1 imports footnote.cli, which stands above it",
    ),
    "inside a function": (
        upward_imports,
        {"sources/query.py": "def f():\n    from footnote.plans.cache import load\n", "plans/cache.py": ""},
        "footnote.sources.query:2 imports footnote.plans.cache, which stands above it",
    ),
    "for types alone": (
        upward_imports,
        {
            "evidence.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from footnote import answers\n",
            "answers/text.py": "",
        },
        "footnote.evidence:3 imports footnote.answers, which stands above it",
    ),
    "relative": (
        upward_imports,
        {"lineage/arms.py": "from ..operations import run\n", "operations/__init__.py": ""},
        "footnote.lineage.arms:1 imports footnote.operations, which stands above it",
    ),
    "relative, from a package": (
        upward_imports,
        {"lineage/__init__.py": "from ..plans import run\n", "plans.py": ""},
        "footnote.lineage:1 imports footnote.plans, which stands above it",
    ),
    "by name at run time": (
        upward_imports,
        {"errors.py": 'import importlib\nimportlib.import_module("footnote.figures")\n', "figures.py": ""},
        "footnote.errors:2 imports footnote.figures, which stands above it",
    ),
    "of the public face": (
        upward_imports,
        {"__init__.py": "", "cli.py": "from footnote import open\n"},
        "footnote.cli:1 imports the public face of the package",
    ),
    "a room that is not in the house": (
        upward_imports,
        {"billing.py": "", "cli.py": "from footnote import billing\n"},
        "footnote.billing is no room of the house",
    ),
    "code in a pack": (upward_imports, {"packs/a.py": '"""Rows."""\nx = 1\n'}, "footnote.packs.a:2 holds code"),
    "two modules of one room that import each other": (
        circles,
        {"sources/a.py": "from . import b\n", "sources/b.py": "def f():\n    from footnote.sources.a import g\n"},
        "footnote.sources.a -> footnote.sources.b -> footnote.sources.a",
    ),
    "a module that imports its own package": (
        circles,
        {"plans/__init__.py": "from .make import make\n", "plans/make.py": "from footnote.plans import Plan\n"},
        "footnote.plans -> footnote.plans.make -> footnote.plans",
    ),
    "a pure room that reads files": (
        impure_rooms,
        {"lineage/arms.py": "from pathlib import Path\n"},
        "footnote.lineage.arms:1 imports pathlib, but lineage is pure",
    ),
    "a pure room that imports what a package has inside": (
        impure_rooms,
        {"answers/a.py": "def f():\n    from urllib import request\n"},
        "footnote.answers.a:2 imports urllib.request, but answers is pure",
    ),
    "a pure room that opens a file": (
        impure_rooms,
        {"figures.py": "f = open('x')\n"},
        "footnote.figures:1 calls open()",
    ),
    "a log that connects, beside its stores": (
        impure_rooms,
        {"provenance/verify.py": "import sqlite3\n", "provenance/sqlite.py": "import sqlite3\n"},
        "footnote.provenance.verify:1 imports sqlite3, but provenance is pure",
    ),
    "a module of odds and ends": (empty_names, {"sources/sql_utils.py": ""}, "footnote.sources.sql_utils has a name"),
    "a file of 401 lines": (long_files, {"errors.py": "\n" * 401}, "errors.py has 401 lines"),
    "a script of 401 lines": (long_files, {"web/static/a.js": "//\n" * 401}, "a.js has 401 lines"),
    "a function of 41 lines": (long_functions, {"errors.py": function_of(41)}, "footnote.errors:1 f has 41 lines"),
}


@pytest.mark.parametrize(("rule", "files", "fault"), BAD.values(), ids=BAD.keys())
def test_a_fault_is_noticed(tmp_path: Path, rule: Rule, files: dict[str, str], fault: str) -> None:
    (found,) = rule(build(tmp_path, files))[:1]
    assert fault in found


def test_a_sound_house_has_no_fault(tmp_path: Path) -> None:
    root = build(
        tmp_path,
        {
            "__init__.py": "from footnote.session import open\n",
            "session.py": "import os\nfrom footnote.sources import sqlite\nfrom . import errors\n",
            "sources/__init__.py": "from footnote.sources.sqlite import open_source\n",
            "sources/sqlite.py": "import sqlite3\nfrom ..errors import FootnoteError\n",
            "provenance/sqlite.py": "import sqlite3, threading\nfrom urllib.parse import quote\n",
            "figures.py": "import osmium\nfrom urllib.parse import quote\n",
            "errors.py": function_of(40),
            "packs/__init__.py": '"""Catalogs that ship."""\n',
            "packs/sample/data.js": "//\n" * 401,
        },
    )
    rules: tuple[Rule, ...] = (upward_imports, circles, impure_rooms, empty_names, long_files, long_functions)
    assert [fault for rule in rules for fault in rule(root)] == []
