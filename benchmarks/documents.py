"""Documents: how long a verdict, a search, an index and its opening take at a hundred, ten thousand and a million units.

python benchmarks/documents.py            # a hundred and ten thousand units, and a PDF of an annual report's size
python benchmarks/documents.py 1000000    # so many units
"""

from __future__ import annotations

import io
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from footnote.documents.corpus import Corpus
from footnote.documents.reading import sources_of_bytes

UNITS_OF_A_FILE = 250
SYLLABLES = "al bor cas den el fir gor hal iv jun kel lam mor nor os pel quin ros sol tam ul ver wil yar zen".split()
THINGS = "annual fee|monthly rent|setup charge|liability cap|deposit|service credit|renewal fee|storage fee|licence fee|penalty".split(
    "|"
)
VERBS = "shall deliver|may return|must insure|shall store|may inspect|shall replace|must label|may reject".split("|")
GOODS = "pallets|crates|sensors|hinges|chairs|labels|printers|batteries|cartons|valves|motors|filters".split("|")
PLACES = "Vienna|Graz|Leeds|York|Lyon|Nantes|Poznań|Łódź|Bremen|Kassel|Turin|Porto".split("|")


def sentences(draw: random.Random) -> Iterator[str]:
    """What contracts say, with names and figures of their own."""
    while True:
        name = "".join(draw.choice(SYLLABLES) for _ in range(4)).capitalize()
        thing, amount = draw.choice(THINGS), draw.randrange(100, 99_999)
        yield draw.choice(
            (
                f"The {thing} of {name} is {amount:,} EUR.",
                f"{name} {draw.choice(VERBS)} the {draw.choice(GOODS)} within {draw.randrange(2, 90)} days.",
                f"The notice period of {name} is {draw.randrange(1, 24)} months, unless clause {draw.randrange(1, 20)}.2 applies.",
                f"Order PO-{draw.randrange(10**6):06d} for {amount:,} EUR was placed by {name} on {draw.randrange(1, 28)} May 2024.",
                f"{name} has its office in {draw.choice(PLACES)} and was founded in {draw.randrange(1900, 2020)}.",
            )
        )


def make(folder: Path, units: int) -> list[str]:
    """Files with about so many units; claims about some of them, one half of which is true."""
    draw = random.Random(7)
    saying = sentences(draw)
    claims: list[str] = []
    for number in range(max(1, units // UNITS_OF_A_FILE)):
        said = [next(saying) for _ in range(min(units, UNITS_OF_A_FILE) - 1)]
        text = f"# SERVICES AGREEMENT {number}\n\n" + "\n\n".join(f"{n}.1 {one}" for n, one in enumerate(said, start=1))
        (folder / f"agreement-{number:05d}.md").write_text(text, encoding="utf-8")
        claims += draw.sample(said, min(len(said), max(2, 200 * UNITS_OF_A_FILE // units))) if len(claims) < 200 else []
    half = len(claims) // 2
    return [*claims[:half], *(claim.replace("1", "2").replace("5", "6") for claim in claims[half:])][:200]


def clock(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def measure(units: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "documents")
        folder.mkdir()
        claims = make(folder, units)
        cache = Path(place, "cache")
        built = clock(lambda: Corpus.open(folder, cache=cache).close())
        opened = clock(lambda: Corpus.open(folder, cache=cache).close())
        with Corpus.open(folder, cache=cache) as corpus:
            corpus.verify("The first statement loads the words of four languages.")
            cpu = time.process_time()
            took = [clock(lambda claim=claim: corpus.verify(claim)) for claim in claims]  # type: ignore[misc]
            cpu = (time.process_time() - cpu) / len(claims)
            again = [clock(lambda claim=claim: corpus.verify(claim)) for claim in claims]  # type: ignore[misc]
            found = [clock(lambda claim=claim: corpus.search(claim)) for claim in claims]  # type: ignore[misc]
            grounded = sum(corpus.verify(claim).status == "GROUNDED" for claim in claims[:20])
            size = corpus.index.size
        (index,) = (cache / "documents").glob("*.db")
        print(f"{size:,} units in {len(list(folder.iterdir())):,} files")
        print(f"  index      {built:8.2f} s   ({index.stat().st_size / 1e6:,.0f} MB on disk)")
        print(f"  open       {opened * 1e3:8.1f} ms")
        for name, times in (("verify", took), ("  again", again), ("search", found)):
            print(
                f"  {name:10} {statistics.median(times) * 1e3:8.2f} ms p50, {sorted(times)[len(times) * 95 // 100] * 1e3:.2f} ms p95"
            )
        print(f"  processor  {cpu * 1e3:8.2f} ms a statement, on average")
        print(f"  grounded   {grounded} of 20 true statements")
        print(f"  memory     {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB at most")


def annual_report(pages: int = 150) -> bytes:
    """A PDF with a table and prose on every page."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    draw = random.Random(7)
    saying = sentences(draw)
    style = getSampleStyleSheet()
    story: list[object] = []
    for page in range(pages):
        story.append(Paragraph(f"{page + 1}. Note", style["Heading2"]))
        story += [Paragraph(" ".join(next(saying) for _ in range(6)), style["BodyText"]) for _ in range(6)]
        rows = [["(in thousands)", "2024", "2023", "2022"]]
        rows += [
            [f"{draw.choice(THINGS)} {n}", *(f"{draw.randrange(1000, 999_999):,}" for _ in range(3))] for n in range(14)
        ]
        story += [Table(rows, style=[("ALIGN", (1, 0), (-1, -1), "RIGHT")]), PageBreak()]
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4, title="Annual report").build(story)
    return out.getvalue()


def measure_pdf() -> None:
    data = annual_report()
    units = 0

    def read() -> None:
        nonlocal units
        units = sum(len(source.units) for source in sources_of_bytes("report.pdf", data))

    print(f"a PDF of 150 pages ({len(data) / 1e6:.1f} MB): {clock(read):.2f} s, {units:,} units")


if __name__ == "__main__":
    for asked in map(int, sys.argv[1:] or ("100", "10000")):
        measure(asked)
    if len(sys.argv) == 1:
        measure_pdf()
