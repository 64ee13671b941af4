"""Records in two standards of others: W3C PROV (PROV-JSON) and OpenLineage (one event a line).

Both say which call, with which SQL, used which rows and gave which record, and who asked. Neither can be verified: that
is what an export of format `json` or `bundle` is for. A PROV document is one object and is in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

from footnote.audit.reading import Reading
from footnote.errors import UsageError
from footnote.operations.result import Result

PRODUCER: Final = "urn:footnote"


def prov_pieces(readings: Iterable[Reading], log: str) -> Iterator[str]:
    """PROV-JSON (W3C Member Submission of 2013) of the records.

    Entities are records and items of evidence, activities are calls, agents are actors. Raises `UsageError` if the
    package `prov` is not installed.
    """
    try:
        from prov.model import ProvDocument
    except ImportError as error:
        raise _missing("prov") from error
    document: Any = ProvDocument()
    document.add_namespace("log", f"urn:footnote:{log}:")
    told = _Told(document)
    for reading in readings:
        told.record(reading)
    yield str(document.serialize(format="json")) + "\n"


class _Told:
    """A PROV document, and which of its elements it has already: each is described once."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._known: set[str] = set()

    def record(self, reading: Reading) -> None:
        """A record, who asked for it, and what it comes from."""
        record = reading.record
        about = {"prov:type": record.kind, "prov:label": reading.subject, "log:sequence": record.sequence}
        about |= {"log:hash": record.hash, "log:timestamp": record.timestamp}
        name = self._once(self._document.entity, f"log:record/{record.id}", about)
        if reading.actor:
            place = f"log:actor/{quote(reading.actor, safe='')}"
            self._document.wasAttributedTo(name, self._once(self._document.agent, place, {"prov:label": reading.actor}))
        for result in reading.results.values():
            if record.id == result.record_id:
                self._call(name, result)
            else:
                self._document.wasDerivedFrom(name, f"log:record/{result.record_id}")

    def _call(self, name: str, result: Result) -> None:
        """The call that gave a result, and the evidence it used."""
        about = {"prov:label": result.operation, "log:snapshot": result.taken_at, "log:source": result.source}
        call = self._once(self._document.activity, f"log:call/{result.record_id}", about)
        self._document.wasGeneratedBy(name, call)
        for item in result.evidence:
            told = item.as_dict()
            place = f"log:evidence/{result.id}/{quote(item.id, safe='')}"
            shown = {"prov:label": str(told.get("label", item.id)), "prov:type": told["type"]}
            self._document.used(call, self._once(self._document.entity, place, shown))

    def _once(self, make: Any, name: str, about: dict[str, Any]) -> str:
        if name not in self._known:
            self._known.add(name)
            make(name, other_attributes=about)
        return name


def openlineage_pieces(readings: Iterable[Reading], log: str) -> Iterator[str]:
    """OpenLineage events (spec 2), one JSON object a line, one for each result among the records.

    The run is the result's record, the job its operation, the inputs the record types its rows are of. Raises
    `UsageError` if the package `openlineage-python` is not installed.
    """
    try:
        from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
        from openlineage.client.facet_v2 import sql_job
        from openlineage.client.serde import Serde
    except ImportError as error:
        raise _missing("openlineage-python") from error
    for reading in readings:
        if reading.record.kind != "result":
            continue
        for result in reading.results.values():
            types = dict.fromkeys(row.type for row in result.evidence.rows())
            sql = next((query.sql for query in result.queries if query.purpose == "statement"), "")
            event = RunEvent(
                eventType=RunState.COMPLETE,
                eventTime=reading.record.timestamp,
                producer=PRODUCER,
                run=Run(runId=result.record_id),
                job=Job(
                    namespace=f"footnote/{log}", name=result.operation, facets={"sql": sql_job.SQLJobFacet(query=sql)}
                ),
                inputs=[InputDataset(namespace=result.source, name=type) for type in types],
                outputs=[OutputDataset(namespace=f"footnote/{log}", name=f"record/{result.record_id}")],
            )
            yield str(Serde.to_json(event)) + "\n"


def _missing(package: str) -> UsageError:
    return UsageError(
        f"This format needs the package {package}, which is not installed.",
        remedy="pip install 'footnote-provenance[audit]'",
    )
