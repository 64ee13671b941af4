"""A catalog that was found right is not checked again, unless anything the check depends on has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footnote.catalog.cache import CheckedCache
from footnote.catalog.load import load_catalog
from footnote.catalog.place import Place
from footnote.catalog.schema import catalog_json_schema, catalog_schema_text
from footnote.catalog.variables import Variables
from footnote.errors import CatalogError

BASE_FILE = Path(__file__).with_name("test_catalog.yaml")
SOURCES = Path(__file__).parents[2] / "src"


def entries(folder: Path) -> list[str]:
    found: list[str] = json.loads((folder / "checked-catalogs.json").read_text("utf-8"))["checked"]
    return found


def test_a_catalog_found_right_is_remembered(tmp_path: Path) -> None:
    cache = CheckedCache(tmp_path)
    first = load_catalog(BASE_FILE, environ={}, cache=cache)
    assert len(entries(tmp_path)) == 1
    assert load_catalog(BASE_FILE, environ={}, cache=cache) == first
    assert len(entries(tmp_path)) == 1


def test_what_the_check_depends_on_is_part_of_what_is_remembered(tmp_path: Path) -> None:
    cache = CheckedCache(tmp_path)
    text = BASE_FILE.read_text("utf-8")
    load_catalog(text, environ={}, cache=cache)
    load_catalog(text, environ={"LEDGER_URL": "postgresql://db/one"}, cache=cache)
    load_catalog(text, environ={"LEDGER_URL": "postgresql://db/two"}, cache=cache)
    load_catalog(text + "# changed\n", environ={}, cache=cache)
    assert len(set(entries(tmp_path))) == 4
    assert "db/one" not in (tmp_path / "checked-catalogs.json").read_text("utf-8")


def test_a_wrong_catalog_is_never_remembered(tmp_path: Path) -> None:
    cache = CheckedCache(tmp_path)
    wrong = BASE_FILE.read_text("utf-8").replace("FROM invoices", "FROM pg_shadow")
    for _ in range(2):
        with pytest.raises(CatalogError, match="belongs to the database"):
            load_catalog(wrong, environ={}, cache=cache)
    assert not (tmp_path / "checked-catalogs.json").exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"checked": 1}', b'{"checked": [1, null]}', b"\xff\xfe", b"[" * 100_000]
)
def test_a_cache_that_cannot_be_read_is_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "checked-catalogs.json").write_bytes(content)
    assert load_catalog(BASE_FILE, environ={}, cache=CheckedCache(tmp_path)).catalog.catalog == "ledger"
    assert len(entries(tmp_path)) == 1


def test_a_cache_that_cannot_be_written_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for folder in (file, file / "below", Path("/proc/nowhere")):
        assert load_catalog(BASE_FILE, environ={}, cache=CheckedCache(folder)).catalog.catalog == "ledger"


def test_the_cache_does_not_grow_without_end(tmp_path: Path) -> None:
    cache = CheckedCache(tmp_path)
    for number in range(230):
        cache.add(f"{number}", ("postgres",))
    assert len(entries(tmp_path)) == 200
    assert cache.holds("229", ("postgres",))
    assert not cache.holds("229", ("postgres", "sqlite"))
    assert not cache.holds("0", ("postgres",))
    assert [file.name for file in tmp_path.iterdir()] == ["checked-catalogs.json"]


def test_a_second_start_is_quick_and_does_not_import_sqlglot(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from footnote.catalog.load import load_catalog\nfrom footnote.catalog.cache import CheckedCache\n"
        "start = time.perf_counter()\n"
        "load_catalog(Path(sys.argv[1]), environ={}, cache=CheckedCache(Path(sys.argv[2])))\n"
        "print(int((time.perf_counter() - start) * 1e6), 'sqlglot' in sys.modules)\n"
    )

    def start() -> tuple[int, str]:
        arguments = [sys.executable, "-c", script, str(BASE_FILE), str(tmp_path)]
        environment = os.environ | {"PYTHONPATH": str(SOURCES)}
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
        microseconds, imported = done.stdout.split()
        return int(microseconds), imported

    assert start()[1] == "True"
    warm = [start() for _ in range(3)]
    assert {imported for _, imported in warm} == {"False"}
    assert min(microseconds for microseconds, _ in warm) < 40_000


def test_a_long_catalog_loads_quickly_the_second_time(tmp_path: Path) -> None:
    text = BASE_FILE.read_text("utf-8")
    operation = text[text.index("  getRevenue:") : text.index("interpretations:")]
    copies = "".join(operation.replace("getRevenue:", f"getRevenue{number}:") for number in range(15))
    long = text.replace("interpretations:", copies + "interpretations:")
    assert len(long.splitlines()) > 400
    cache = CheckedCache(tmp_path)
    load_catalog(long, environ={}, cache=cache)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        load_catalog(long, environ={}, cache=cache)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.040


def test_the_schema_in_the_package_is_that_of_the_model() -> None:
    file = SOURCES / "footnote" / "catalog" / "catalog.schema.json"
    assert file.read_text("utf-8") == catalog_schema_text(), "run: python -m footnote.catalog.schema > " + str(file)


def test_the_schema_knows_no_other_keys() -> None:
    schema = catalog_json_schema()
    assert schema["additionalProperties"] is False
    assert all(d["additionalProperties"] is False for d in schema["$defs"].values() if d.get("type") == "object")
    whole, extending = (set(way["required"]) for way in schema["anyOf"])
    assert whole == {"catalog", "version", "source", "records", "operations"}
    assert extending == {"catalog", "version", "extends"}


def test_a_shortened_or_folded_secret_is_recognised() -> None:
    variables = Variables({"SECRET": "Hunter2-is-secret", "EMPTY": "", "TINY": "abc"})
    for name in ("SECRET", "EMPTY:x", "TINY"):
        variables.replace(f"${{{name}}}", Place("c.yaml", 1))
    assert variables.redact("no `Hunter2-is-secret` here, abc") == "no `${SECRET}` here, abc"
    assert variables.leaked_by("HUNTER2-IS…") == "SECRET"
    assert variables.leaked_by("Hunter2 abc") == ""
