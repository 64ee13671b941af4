"""Documents over HTTP: a statement is verified, documents are listed, a passage is shown in its context."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footnote.documents.presenting import source_dict
from footnote.errors import ArgumentError
from footnote.serve.document_passage import passage
from footnote.serve.http_calls import Calls
from footnote.serve.http_guard import json_response, read_object
from footnote.session import Session
from footnote.session.documents import documents_of


class DocumentRoutes:
    """The handlers, over one session."""

    def __init__(self, session: Session, calls: Calls) -> None:
        self.documents = documents_of(session)
        self.calls = calls

    def routes(self) -> list[Route]:
        """Where they answer."""
        return [
            Route("/api/documents", self.list),
            Route("/api/documents/verify", self.verify, methods=["POST"]),
            Route("/api/document/{file:path}", self.passage),
        ]

    async def list(self, request: Request) -> Response:
        """GET: the documents, and what could not be read."""

        def work() -> dict[str, Any]:
            corpus = self.documents.corpus
            return {"sources": [source_dict(source) for source in corpus.sources()], "problems": [*corpus.problems]}

        return json_response(await self.calls.read(work))

    async def verify(self, request: Request) -> Response:
        """POST {claim}: the verdict, with its record."""
        body = await read_object(request)
        claim, unknown = body.get("claim"), sorted(body.keys() - {"claim"})
        if not isinstance(claim, str) or unknown:
            raise ArgumentError("The body is not {claim: text}.", remedy="Send one statement.")

        def work(_: object) -> dict[str, Any]:
            return {"kind": "verdict"} | self.documents.verify(claim).as_dict()

        return json_response(await self.calls.ask(request, work))

    async def passage(self, request: Request) -> Response:
        """GET with `at=start-end`: the passage in its context; without, the document."""
        place = request.path_params["file"]
        if at := request.query_params.get("at"):
            place = f"{place}#{at}"
        return json_response(await self.calls.ask(request, lambda _: passage(self.documents, place)))
