"""Promise 4: the model does not compute, and it cannot write SQL. Only `footnote.plans` builds a `Query`.

Drivers run a `Query` and nothing else, so SQL reaches a source only if `plans` proved it and put the row rules in.
Read off the syntax tree: outside `plans`, `Query` may stand in an import, in an annotation, in `isinstance` or in a
`case`; it is not called, subclassed, handed on as a value, or filled in again with `dataclasses.replace`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "footnote"
BUILDER = "plans"
HOME = Path("sources/query.py")


def builders(root: Path) -> list[str]:
    """Each place outside `plans` where a `Query` comes into being, as `file:line`."""
    return [
        f"{path.relative_to(root)}:{line}"
        for path in sorted(root.rglob("*.py"))
        if path.relative_to(root).parts[0] != BUILDER
        for line in places(ast.parse(path.read_text(encoding="utf-8")), at_home=path.relative_to(root) == HOME)
    ]


def places(tree: ast.Module, *, at_home: bool) -> Iterator[int]:
    """Lines on which `Query` is used as anything but a type."""
    names = known_as(tree, at_home=at_home)
    harmless = {id(part) for node in ast.walk(tree) for use in type_uses(node) for part in ast.walk(use)}
    for node in ast.walk(tree):
        if id(node) in harmless:
            continue
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in names:
            yield node.lineno
        elif at_home and isinstance(node, ast.ClassDef) and node.name == "Query":
            yield from (part.lineno for part in ast.walk(node) if isinstance(part, ast.Call) and makes_one(part))
        elif names and isinstance(node, ast.Call) and replaces(node):
            yield node.lineno


def known_as(tree: ast.Module, *, at_home: bool) -> set[str]:
    """What `Query` may be called in a module: by its name, or as a member of a module that is imported."""
    names: set[str] = {"Query"} if at_home else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            ours = [alias for alias in node.names if alias.name.startswith("footnote.")]
        elif isinstance(node, ast.ImportFrom) and (node.level or str(node.module).split(".")[0] == "footnote"):
            ours = node.names
            names |= {alias.asname or alias.name for alias in ours if alias.name == "Query"}
        else:
            continue
        names |= {f"{alias.asname or alias.name}.Query" for alias in ours}
    return names


def type_uses(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that speak of a type and build nothing."""
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        yield node.annotation
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
        yield node.returns
    if isinstance(node, ast.MatchClass):
        yield node.cls
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "cast"}:
        yield from node.args
    if isinstance(node, ast.Subscript):  # list[Query], Callable[[Query], Rows]
        yield node.slice


def makes_one(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in {"cls", "Query"}


def replaces(call: ast.Call) -> bool:
    """Whether this is `dataclasses.replace` on what a `Query` is made of."""
    name = ast.unparse(call.func)
    fields = {keyword.arg for keyword in call.keywords}
    return name in {"replace", "dataclasses.replace", "copy.replace"} and bool(
        fields & {"sql", "parameters", "columns"}
    )


def test_only_plans_builds_a_query() -> None:
    assert builders(SOURCE) == []


@pytest.mark.parametrize(
    "text",
    [
        "from footnote.sources.query import Query\nQuery('SELECT 1', {}, ())\n",
        "from footnote.sources.query import Query as Q\nQ('SELECT 1', {}, ())\n",
        "import footnote.sources.query\nfootnote.sources.query.Query('SELECT 1', {}, ())\n",
        "from footnote.sources import query\nquery.Query('SELECT 1', {}, ())\n",
        "from footnote.sources.query import Query\nlist(map(Query, texts))\n",
        "from footnote.sources.query import Query\nclass Mine(Query): pass\n",
        "from dataclasses import replace\nfrom ..sources.query import Query\nreplace(q, sql='SELECT 1')\n",
    ],
)
def test_a_query_built_elsewhere_is_noticed(tmp_path: Path, text: str) -> None:
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "run.py").write_text(text, encoding="utf-8")
    assert builders(tmp_path) == [f"operations/run.py:{len(text.splitlines())}"]


def test_a_factory_on_the_class_itself_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    text = "class Query:\n    @classmethod\n    def of(cls, sql): return cls(sql, {}, ())\n"
    (tmp_path / HOME).write_text(text, encoding="utf-8")
    assert builders(tmp_path) == ["sources/query.py:3"]


def test_naming_the_type_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    text = (
        "from dataclasses import replace\nfrom footnote.sources.query import Query\nfrom sqlglot import exp\nexp.Query()\n"
        "def run(query: Query, more: list[Query]) -> Query | None:\n"
        "    found: Query = query\n    match query:\n        case Query(sql=text):\n            pass\n"
        "    replace(text, locale='de')\n    return found if isinstance(query, Query) else None\n"
    )
    (tmp_path / "sources" / "sqlite.py").write_text(text, encoding="utf-8")
    assert builders(tmp_path) == []


def test_plans_may_build_one(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    text = "from footnote.sources.query import Query\nQuery('SELECT 1', {}, ())\n"
    (tmp_path / "plans" / "compile.py").write_text(text, encoding="utf-8")
    assert builders(tmp_path) == []
