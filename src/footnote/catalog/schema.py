"""The JSON Schema of the catalog format, for editors that complete and check YAML.

`python -m footnote.catalog.schema > catalog.schema.json` writes it; the copy beside this module is in the package.
A catalog that fits the schema may still be refused: names that do not exist and SQL are checked by `load_catalog`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from footnote.catalog.model import Catalog

_ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def catalog_json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12), generated from the model."""
    schema = Catalog.model_json_schema(mode="validation")
    needed = schema.pop("required")
    own = [key for key in needed if key in {"catalog", "version"}]
    schema["anyOf"] = [{"required": needed}, {"required": [*own, "extends"]}]
    return {"$schema": _ADDRESS, "title": "Footnote catalog"} | {k: v for k, v in schema.items() if k != "title"}


def catalog_schema_text() -> str:
    """The schema as the text of `catalog.schema.json`."""
    return json.dumps(catalog_json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(catalog_schema_text())
