"""Text of a catalog: names and texts quoted as YAML and SQL want them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from footnote.connect.draft.reading import Read


def scalar(text: str) -> str:
    """A text in double quotes, as YAML and JSON both read it; `${` stays the two characters that it is."""
    return json.dumps(text.replace("${", "$${"), ensure_ascii=False)


def literal(text: str) -> str:
    """A text in a template, where braces are slots."""
    return text.replace("{", "{{").replace("}", "}}")


def remark(text: str) -> str:
    """A text that can stand behind `#`: on one line, without what a terminal or YAML would act upon."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]


def column_name(name: str, dialect: str) -> str:
    """A column in SQL."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark


def table_name(read: Read, dialect: str) -> str:
    """A table in SQL."""
    parts = (read.schema.schema, read.schema.name) if read.qualified else (read.schema.name,)
    return ".".join(column_name(part, dialect) for part in parts)


_SLOT = re.compile(r"<<(\w+)>>")


def filled(template: str, values: dict[str, str]) -> str:
    """A template with `<<name>>` replaced.

    What has several lines is indented like its slot; a line that is nothing but a slot without a value is left out.
    """
    lines = []
    for line in template.strip("\n").split("\n"):
        only = _SLOT.fullmatch(line.strip())
        if only and not values[only[1]]:
            continue
        margin = " " * (len(line) - len(line.lstrip()))
        text = _SLOT.sub(lambda slot: values[slot[1]], line)
        lines.append(text.replace("\n", f"\n{margin}"))
    return "\n".join(lines)


def statement(
    select: Sequence[str], source: str, where: Sequence[str] = (), group: Sequence[str] = (), order: Sequence[str] = ()
) -> str:
    """A SELECT over several lines."""
    clauses = ["SELECT " + ",\n       ".join(select), f"FROM {source}"]
    clauses += ["WHERE " + "\n  AND ".join(where)] if where else []
    clauses += [f"GROUP BY {', '.join(dict.fromkeys(group))}"] if group else []
    clauses += [f"ORDER BY {', '.join(dict.fromkeys(order))}"] if order else []
    return "\n".join(clauses)
