"""The documentation is true: what it names exists, what exists it names, and its examples run.

Examples of commands are blocks marked `console`: lines after `$` are run, one after the other, in a folder of their own,
and the lines below must be in the output in that order; `…` stands for any text, alone on a line for any lines. Pages have
plain spaces where figures have no-break spaces.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
import yaml

import footnote
from footnote.catalog.functions import TYPED_FUNCTIONS
from footnote.catalog.load import load_catalog
from footnote.catalog.schema import catalog_json_schema
from footnote.cli import main
from footnote.figures import FigureType
from footnote.provenance.leaf import KINDS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "footnote"
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
README = ROOT / "README.md"
CATALOG = ROOT / "docs" / "catalog.md"
ANSWERS = ROOT / "docs" / "answers.md"
PROVENANCE = ROOT / "docs" / "provenance.md"

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")

on_each_page = pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    found = []
    for indent, name, body in _FENCE.findall(text_of(page)):
        if name == language:
            found.append("".join(line.removeprefix(indent) for line in body.splitlines(keepends=True)))
    return found


def prose(page: Path) -> str:
    return _FENCE.sub("", text_of(page))


def code_spans(page: Path) -> list[str]:
    return [span.replace("\\|", "|") for span in _CODE.findall(prose(page))]


def spaced(text: str) -> str:
    """The text with a plain space for each no-break space, as pages have it."""
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def section(page: Path, heading: str) -> str:
    """The text below a heading, up to the next one."""
    match = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", prose(page), re.MULTILINE | re.DOTALL)
    assert match, f"{page.name} has no heading {heading!r}"
    return match.group(1)


def first_column(text: str) -> list[str]:
    """What stands in code in the first column of the tables in `text`."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return [span for cell in cells for span in _CODE.findall(cell)]


# --- commands ---------------------------------------------------------------------------------------------------------


def commands_of(group: click.Group, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every command by the words that call it, `("keys", "show")`; a group of commands is none itself."""
    found: dict[tuple[str, ...], click.Command] = {}
    for name, command in group.commands.items():
        path = (*above, name)
        found |= commands_of(command, path) if isinstance(command, click.Group) else {path: command}
    return found


COMMANDS = commands_of(main)


def command_named(words: list[str]) -> tuple[str, ...]:
    """The command that a line calls, as far as it is one: `footnote keys show --json` calls `("keys", "show")`."""
    paths = [tuple(words[1 : 1 + length]) for length in (3, 2, 1)]
    return next((path for path in paths if path in COMMANDS), ())


def test_every_command_is_in_the_table_of_commands_and_no_other() -> None:
    documented = [command_named(span.split()) for span in first_column(section(README, "Commands"))]
    assert sorted(documented) == sorted(COMMANDS)


@pytest.mark.parametrize("path", sorted(COMMANDS), ids=" ".join)
def test_every_option_of_a_command_is_documented(path: tuple[str, ...]) -> None:
    mentioned = {word for span in code_spans(README) for word in span.split()}
    options = [o for p in COMMANDS[path].params if isinstance(p, click.Option) for o in p.opts]
    assert [option for option in options if option not in mentioned] == []


@on_each_page
def test_no_page_names_a_command_or_option_that_does_not_exist(page: Path) -> None:
    shown = re.findall(r"^\$ (.*)$", "\n".join(blocks(page, "console")), re.MULTILINE)
    groups = {path[:length] for path in COMMANDS for length in range(1, len(path))}
    for span in [*code_spans(page), *shown]:
        words = span.split()
        if words[:1] != ["footnote"] or len(words) < 2:
            continue
        command = COMMANDS.get(command_named(words))
        known = {"--help", "-h", "--version"} | {o for p in (command or main).params for o in p.opts}
        assert command or words[1] in known or tuple(words[1:2]) in groups, f"`{span}`: there is no such command"
        unknown = [word for word in words[2:] if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]
        assert not unknown, f"`{span}`: there is no option {unknown[0]}"


# --- environment ------------------------------------------------------------------------------------------------------


def environment_names(tree: ast.AST) -> Iterator[str]:
    """Names that code looks up in an environment: `environ["X"]`, `environ.get("X")`, `f(environ, "X")`, `envvar="X"`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and "environ" in ast.unparse(node.value):
            yield from _texts([node.slice])
        elif isinstance(node, ast.Call):
            about = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            if any("environ" in ast.unparse(part) for part in [*about, *node.args]):
                yield from _texts(node.args)
            yield from _texts(word.value for word in node.keywords if word.arg == "envvar")


def _texts(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and re.fullmatch(r"[A-Z][A-Z0-9_]+", value):
            yield value


def test_the_table_of_the_environment_has_what_is_read_and_nothing_else() -> None:
    read = {name for file in SOURCE.rglob("*.py") for name in environment_names(ast.parse(text_of(file)))}
    read |= {n for file in SOURCE.glob("packs/*/*.yaml") for n in re.findall(r"(?<!\$)\$\{([A-Z_]+)", text_of(file))}
    documented = first_column(section(README, "Environment"))
    assert sorted(documented) == sorted(read)


def test_every_way_to_read_the_environment_is_noticed() -> None:
    code = 'environ["AAA"]; os.environ.get("BBB", "x"); flag(environ, "CCC"); option("--d", envvar="DDD"); f("EEE")'
    assert set(environment_names(ast.parse(code))) == {"AAA", "BBB", "CCC", "DDD"}


def test_exit_codes_are_those_of_the_errors() -> None:
    from footnote import errors
    from footnote.cli import FAULT

    named = [value for value in vars(errors).values() if isinstance(value, type)]
    kinds = [kind for kind in named if issubclass(kind, errors.FootnoteError)]
    codes = {line.split("|")[1].strip() for line in section(README, "Exit codes").splitlines() if line.startswith("| ")}
    assert {str(kind.exit_code) for kind in kinds} | {"0", str(FAULT)} == codes - {"code", "---"}


# --- the catalog ------------------------------------------------------------------------------------------------------

SECTIONS = {
    "The file": "Catalog",
    "Source": "SourceSpec",
    "Display": "Display",
    "Company": "Company",
    "Calendars": "Calendar",
    "Entities": "Entity",
    "Operations": "Operation",
    "Parameters": "Parameter",
    "As of": "AsOf",
    "Checks": "Check",
    "Empty": "Empty",
    "Charts": "Chart",
    "Access": "Access",
    "Evidence by hand": "HandEvidence",
}
"""Headings with one table of keys, and the model whose keys these are."""


def model_keys() -> Mapping[str, set[str]]:
    schema = catalog_json_schema()
    models = {"Catalog": schema} | schema["$defs"]
    return {name: set(model["properties"]) for name, model in models.items() if "properties" in model}


@pytest.mark.parametrize(("heading", "model"), SECTIONS.items())
def test_a_table_of_the_catalogs_format_has_the_keys_of_its_model(heading: str, model: str) -> None:
    assert set(first_column(section(CATALOG, heading))) == model_keys()[model]


@pytest.mark.parametrize(
    ("heading", "models"),
    [
        ("Records", ("RecordType", "FieldLookup")),
        ("Columns", ("ColumnSpec", "CurrencyColumn")),
        ("Statements", ("Statement", "Each")),
        ("Answers", ("AnswerTemplate", "Items")),
        ("Interpretations", ("Interpretation", "Premise")),
        ("Derived figures", ()),
    ],
)
def test_a_section_with_several_tables_has_the_keys_of_its_models(heading: str, models: tuple[str, ...]) -> None:
    keys = model_keys()
    extra = {"Records": keys["FieldSpec"] - keys["ColumnSpec"], "Derived figures": keys["Derived"] - keys["ColumnSpec"]}
    wanted = set[str]().union(*(keys[model] for model in models), extra.get(heading, set()))
    ours = {*FigureType, *TYPED_FUNCTIONS}  # tables of types and of functions stand there too
    found = {span.partition("(")[0] for span in first_column(section(CATALOG, heading))}
    assert found - (ours - wanted) == wanted


def test_every_model_of_the_catalogs_format_has_its_table() -> None:
    several = """RecordType FieldSpec FieldLookup ColumnSpec CurrencyColumn Statement Each AnswerTemplate Items Interpretation
    Premise
    Derived""".split()
    assert set(model_keys()) == {*several, *SECTIONS.values()}


def test_every_type_and_typed_function_of_the_catalog_is_documented() -> None:
    spans = {span.partition("(")[0] for span in code_spans(CATALOG)}
    assert [name for name in [*FigureType, *TYPED_FUNCTIONS] if name not in spans] == []


def test_the_small_catalog_loads() -> None:
    text, extending = (block for block in blocks(CATALOG, "yaml") if block.startswith("catalog:"))
    loaded = load_catalog(text, environ={"DATABASE_URL": "sqlite:///shop.db"})
    assert loaded.catalog.catalog == "shop"
    assert "getPayablesAging" not in load_catalog(extending, environ={}).catalog.operations


# --- examples ---------------------------------------------------------------------------------------------------------


@on_each_page
def test_every_block_of_a_page_says_what_it_is_and_parses(page: Path) -> None:
    for _, language, body in _FENCE.findall(text_of(page)):
        if language == "json":
            json.loads(body if body.lstrip().startswith(("{", "[")) else f"{{{body}}}")  # or some members of an object
        elif language == "yaml":
            yaml.safe_load(body)
        elif language == "python":
            ast.parse(body)
        else:
            assert language in {"sh", "sql", "console", "text"}, f"a block is marked {language!r}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, with a log and a cache of its own, and the small catalog with its database."""
    for name in ("DATABASE_URL", "FOOTNOTE_CATALOG", "AS_OF_DATE", "FOOTNOTE_SEED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FOOTNOTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROVENANCE_DB", str(tmp_path / "log.db"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.yaml").write_text(blocks(CATALOG, "yaml")[0], encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.executescript(blocks(CATALOG, "sql")[0])
    return tmp_path


def footnote_says(line: str, environ: dict[str, str]) -> str:
    """What a command prints on both channels; `export A=b` changes `environ` for those after it."""
    words = shlex.split(line)
    if words[0] == "export":
        environ |= dict(word.split("=", 1) for word in words[1:])
        return ""
    assert words[0] == "footnote"
    ran = subprocess.run(
        [sys.executable, "-m", "footnote", *words[1:]],
        env=environ | {"PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return ran.stdout


def as_pattern(shown: list[str]) -> str:
    """A pattern that output of a command must match as a whole, from the lines that a page shows."""
    lines = [
        "(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…"))) + "\n" for line in shown
    ]
    return "".join(lines)


@on_each_page
def test_commands_print_what_the_page_shows(page: Path, place: Path) -> None:
    environ = dict(os.environ)
    for block in blocks(page, "console"):
        for example in block.removeprefix("$ ").split("\n$ "):
            line, *shown = example.splitlines()
            said = spaced(footnote_says(line, environ))
            assert re.fullmatch(as_pattern(shown), said), f"$ {line}\n{said}"


def test_a_page_that_shows_other_output_is_noticed() -> None:
    said = "Bergmann is 43.805,00 € behind.\n\nRecord 2: hash 94ab.\n"
    assert re.fullmatch(as_pattern(["Bergmann is 43.805,00 € behind.", "…", "Record 2: hash …."]), said)
    assert not re.fullmatch(as_pattern(["Bergmann is 43.806,00 € behind.", "…"]), said)
    assert not re.fullmatch(as_pattern(["Bergmann is 43.805,00 € behind."]), said)


def test_the_python_of_the_page_on_answers_prints_what_it_shows(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(ANSWERS, "python")
    exec(compile(code, ANSWERS.name, "exec"), {})
    assert spaced(capsys.readouterr().out) == blocks(ANSWERS, "text")[0]


# --- answers ----------------------------------------------------------------------------------------------------------

OPEN = {"arguments", "params", "fields", "values", "labels", "figures", "derived"}
"""Members whose own members are names from a catalog."""


def members(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from members(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in OPEN:
                yield from members(item)
            elif key in {"figures", "derived"}:
                yield from members(list(item.values()))


@pytest.fixture
def shown(place: Path) -> list[dict[str, Any]]:
    """Answers of every kind as JSON."""
    with footnote.open("sample") as session:
        questions = ("How much does Bergmann owe?", "Is Bergmann Logistik at risk?", "Who are our top customers?")
        answers = [session.ask(question) for question in questions]
        answers.append(
            session.answer(session.run("getOverdueInvoices", {"customer": "Nordwind", "asOfDate": "2020-01-01"}))
        )
        return [answer.as_dict() for answer in answers]


def test_every_member_of_an_answer_is_documented(shown: list[dict[str, Any]]) -> None:
    assert any("emptyReason" in operation for answer in shown for operation in answer["operations"])
    spans = set(code_spans(ANSWERS))
    assert sorted({name for answer in shown for name in members(answer)} - spans) == []


def test_the_example_of_an_answer_has_members_that_answers_have(shown: list[dict[str, Any]]) -> None:
    example = next(parsed for block in blocks(ANSWERS, "json") if "claims" in (parsed := json.loads(block)))
    real = shown[0]
    assert list(example) == list(real)
    for name in ("claims", "evidence", "operations"):
        alike = next(item for item in real[name] if item.keys() == example[name][0].keys())
        assert list(alike) == list(example[name][0])
    claim = example["claims"][0] | {"result": real["results"][0]["id"]}
    assert claim in [other | {"text": spaced(other["text"])} for other in real["claims"]]
    start, end = claim["span"].values()
    assert spaced(real["answer"].encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")) == claim["text"]


# --- provenance -------------------------------------------------------------------------------------------------------


def by_hand(export: Path) -> subprocess.CompletedProcess[str]:
    """Run the page's code as it stands, with nothing but the standard library."""
    (code,) = blocks(PROVENANCE, "python")
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(export)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def export(place: Path) -> Path:
    from footnote.audit import export_json, write_export
    from footnote.errors import FootnoteError

    path = place / "export.json"
    with footnote.open("sample") as session:
        session.ask("How much does Bergmann owe?")
        with pytest.raises(FootnoteError):
            session.ask("How much does Acme Corporation owe?")
        session.ask("Is Bergmann Logistik at risk?")
        write_export(path, export_json(session.log))
    return path


def test_the_code_that_verifies_by_hand_is_short_and_verifies_a_real_export(export: Path) -> None:
    assert len(blocks(PROVENANCE, "python")[0].splitlines()) <= 32
    ran = by_hand(export)
    head = json.loads(export.read_text(encoding="utf-8"))["records"][-1]["hash"]
    assert (ran.returncode, ran.stdout) == (0, f"7 records verify; the last has the hash {head}.\n"), ran.stderr


def test_the_code_that_verifies_by_hand_finds_every_change(export: Path) -> None:
    content = json.loads(export.read_text(encoding="utf-8"))
    records = content["records"]

    def told(changed: list[Any]) -> str:
        export.write_text(json.dumps(content | {"records": changed}), encoding="utf-8")
        ran = by_hand(export)
        assert ran.returncode == 1
        return ran.stderr.strip()

    answer = records[1]
    row = answer["evidence"][0]
    assert told([records[0], answer | {"answer": "Nothing."}, *records[2:]]) == "Record 2: answer was changed."
    edited = answer | {"evidence": [row | {"label": "Nobody"}, *answer["evidence"][1:]]}
    assert told([records[0], edited, *records[2:]]) == "Record 2: evidence was changed."
    fewer = answer | {"evidence": answer["evidence"][1:]}
    assert told([records[0], fewer, *records[2:]]) == "Record 2: evidence was changed."
    leaf = answer | {"leaf": answer["leaf"].replace('"answer"', '"result"')}
    assert told([records[0], leaf, *records[2:]]) == "Record 2: its leaf does not have its hash."
    assert told([*records[:2], *records[3:]]) == "Record 3: it is out of place."
    assert told([records[1], records[0], *records[2:]]) == "Record 1: it is out of place."
    assert told([answer | {"timestamp": "2020-01-01T00:00:00.000Z"}]) == "Record 1: it is out of place."
    backdated = answer | {"timestamp": "2020-01-01T00:00:00.000Z"}
    assert told([records[0], backdated, *records[2:]]) == "Record 2: it says other things than its leaf."
    assert told([records[0] | {"note": "added"}, *records[1:]]) == "Record 1: it has other sections than its leaf."


def test_every_kind_of_record_is_documented() -> None:
    spans = set(code_spans(PROVENANCE))
    assert [kind for kind in KINDS if kind not in spans] == []


def test_the_members_of_leaf_and_export_are_those_that_the_page_shows(export: Path) -> None:
    content = json.loads(export.read_text(encoding="utf-8"))
    leaf = json.loads(content["records"][1]["leaf"])
    examples = [json.loads(block) for block in blocks(PROVENANCE, "json")]
    assert {"exportedAt": list(content), "sequence": sorted(leaf)} == {
        "exportedAt": next(list(e) for e in examples if "exportedAt" in e),
        "sequence": next(sorted(e) for e in examples if "sequence" in e),
    }
    spans = set(code_spans(PROVENANCE))
    members_of_records = {name for record in content["records"] for name in record}
    assert sorted(members_of_records - spans - {"operation"}) == []


# --- the role ---------------------------------------------------------------------------------------------------------


@pytest.mark.postgres
def test_the_role_that_the_readme_has_printed_can_ask_and_cannot_write(postgres_server: Any, place: Path) -> None:
    import psycopg

    from footnote.connect.seed import seed_postgres

    assert "footnote check --print-role" in "".join(blocks(README, "sh"))
    postgres_server.execute("CREATE DATABASE {}", "erp")
    try:
        admin = postgres_server.url("erp")
        seed_postgres(admin)
        role = footnote_says("footnote check --print-role", dict(os.environ) | {"DATABASE_URL": admin})
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(role.encode())
        reader = postgres_server.url("erp", user="footnote_reader")
        with footnote.open("sample", database_url=reader) as session:
            assert "43.805,00" in session.ask("How much does Bergmann owe?").text
        with psycopg.connect(reader, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("DELETE FROM payments")
    finally:
        postgres_server.drop("erp")
        postgres_server.execute("DROP ROLE IF EXISTS {}", "footnote_reader")


# --- links and paths --------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The fragments of a page's headings, as hosts of repositories make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@on_each_page
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https", link
            continue
        target = page.parent / parts.path if parts.path else page
        assert target.exists(), link
        assert not parts.fragment or parts.fragment in anchors(target), link


def is_path(span: str) -> bool:
    """Whether code in a text names a file or folder of this repository."""
    if not re.fullmatch(r"\.?[\w-][\w.-]*(/[\w.-]+)*/?", span) or "/" not in span:
        return False
    first = span.split("/", maxsplit=1)[0]
    return span.endswith("/") or "." in span.rsplit("/", 1)[-1] or (ROOT / first).is_dir()


@on_each_page
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    own = {".vscode/mcp.json", ".cursor/mcp.json"}  # files of the reader's
    for span in {span for span in code_spans(page) if is_path(span)} - own:
        assert any((root / span).exists() for root in (ROOT, ROOT / "src", SOURCE, ROOT / "tests")), span


@on_each_page
def test_no_page_shouts_or_names_a_place_of_ours(page: Path) -> None:
    text = prose(page)
    assert not re.search(r"\w!(\s|$)", text)
    assert not re.search(r"/tmp/|/root/|\bAI-powered\b", text_of(page))
