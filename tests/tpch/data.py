"""Data of the TPC-H schema, made here: the same rows on every machine, for any scale.

Tables, keys, cardinalities, ranges of values and the rules that join them follow the public specification (revision 3);
texts are shorter. Scale 1 has 6 million line items; 0.01 has 60,000. Amounts are exact texts, dates are ISO texts, so that
a row can go into any engine as it is.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

Row = tuple[int | str, ...]

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    *(("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3)),
    *(
        ("GERMANY", 3),
        ("INDIA", 2),
        ("INDONESIA", 2),
        ("IRAN", 4),
        ("IRAQ", 4),
        ("JAPAN", 2),
        ("JORDAN", 4),
        ("KENYA", 0),
    ),
    *(
        ("MOROCCO", 0),
        ("MOZAMBIQUE", 0),
        ("PERU", 1),
        ("CHINA", 2),
        ("ROMANIA", 3),
        ("SAUDI ARABIA", 4),
        ("VIETNAM", 2),
    ),
    *(("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1)),
)
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
TYPES = (
    ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"),
    ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"),
    ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER"),
)
CONTAINERS = (("SM", "LG", "MED", "JUMBO", "WRAP"), ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"))
COLOURS = (
    "almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon "
    "chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro "
    "ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon "
    "medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder "
    "puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle "
    "tomato turquoise violet wheat white yellow"
).split()
WORDS = (
    "furiously special quickly pending final ironic deposits accounts requests packages theodolites asymptotes".split()
)

FIRST_DAY = dt.date(1992, 1, 1)
LAST_ORDER = dt.date(1998, 8, 2)
TODAY = dt.date(1995, 6, 17)

SCHEMA = """
CREATE TABLE region (r_regionkey INTEGER PRIMARY KEY, r_name VARCHAR(25) NOT NULL, r_comment VARCHAR(152));
CREATE TABLE nation (n_nationkey INTEGER PRIMARY KEY, n_name VARCHAR(25) NOT NULL, n_regionkey INTEGER NOT NULL, n_comment VARCHAR(152));
CREATE TABLE supplier (
    s_suppkey INTEGER PRIMARY KEY, s_name VARCHAR(25) NOT NULL, s_address VARCHAR(40) NOT NULL, s_nationkey INTEGER NOT NULL,
    s_phone VARCHAR(15) NOT NULL, s_acctbal DECIMAL(15, 2) NOT NULL, s_comment VARCHAR(101) NOT NULL
);
CREATE TABLE part (
    p_partkey INTEGER PRIMARY KEY, p_name VARCHAR(55) NOT NULL, p_mfgr VARCHAR(25) NOT NULL, p_brand VARCHAR(10) NOT NULL,
    p_type VARCHAR(25) NOT NULL, p_size INTEGER NOT NULL, p_container VARCHAR(10) NOT NULL, p_retailprice DECIMAL(15, 2) NOT NULL,
    p_comment VARCHAR(23) NOT NULL
);
CREATE TABLE partsupp (
    ps_partkey INTEGER NOT NULL, ps_suppkey INTEGER NOT NULL, ps_availqty INTEGER NOT NULL,
    ps_supplycost DECIMAL(15, 2) NOT NULL, ps_comment VARCHAR(199) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey)
);
CREATE TABLE customer (
    c_custkey INTEGER PRIMARY KEY, c_name VARCHAR(25) NOT NULL, c_address VARCHAR(40) NOT NULL, c_nationkey INTEGER NOT NULL,
    c_phone VARCHAR(15) NOT NULL, c_acctbal DECIMAL(15, 2) NOT NULL, c_mktsegment VARCHAR(10) NOT NULL, c_comment VARCHAR(117) NOT NULL
);
CREATE TABLE orders (
    o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER NOT NULL, o_orderstatus VARCHAR(1) NOT NULL,
    o_totalprice DECIMAL(15, 2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority VARCHAR(15) NOT NULL,
    o_clerk VARCHAR(15) NOT NULL, o_shippriority INTEGER NOT NULL, o_comment VARCHAR(79) NOT NULL
);
CREATE TABLE lineitem (
    l_orderkey INTEGER NOT NULL, l_partkey INTEGER NOT NULL, l_suppkey INTEGER NOT NULL, l_linenumber INTEGER NOT NULL,
    l_quantity DECIMAL(15, 2) NOT NULL, l_extendedprice DECIMAL(15, 2) NOT NULL, l_discount DECIMAL(15, 2) NOT NULL,
    l_tax DECIMAL(15, 2) NOT NULL, l_returnflag VARCHAR(1) NOT NULL, l_linestatus VARCHAR(1) NOT NULL, l_shipdate DATE NOT NULL,
    l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL, l_shipinstruct VARCHAR(25) NOT NULL, l_shipmode VARCHAR(10) NOT NULL,
    l_comment VARCHAR(44) NOT NULL, PRIMARY KEY (l_orderkey, l_linenumber)
);
"""
INDEXES = """
CREATE INDEX lineitem_part ON lineitem (l_partkey, l_suppkey);
CREATE INDEX orders_customer ON orders (o_custkey);
CREATE INDEX partsupp_supplier ON partsupp (ps_suppkey);
CREATE INDEX customer_nation ON customer (c_nationkey);
CREATE INDEX supplier_nation ON supplier (s_nationkey);
"""
TABLES = ("region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem")


@dataclass(frozen=True)
class Sizes:
    """How many rows of each kind a scale has."""

    suppliers: int
    parts: int
    customers: int
    orders: int

    @classmethod
    def of(cls, scale: float) -> Sizes:
        return cls(*(max(5, round(many * scale)) for many in (10_000, 200_000, 150_000, 1_500_000)))


def cents(amount: int) -> str:
    """An amount in cents as a decimal."""
    sign, whole = "-" if amount < 0 else "", abs(amount)
    return f"{sign}{whole // 100}.{whole % 100:02d}"


def price_of(part: int) -> int:
    """The retail price of a part, in cents."""
    return 90_000 + (part // 10) % 20_001 + 100 * (part % 1_000)


def supplier_of(part: int, number: int, suppliers: int) -> int:
    """The supplier that offers a part as its first, second, third or fourth."""
    return (part + number * (suppliers // 4 + (part - 1) // suppliers)) % suppliers + 1


def rows(table: str, scale: float) -> Iterator[Row]:
    """The rows of a table at a scale, in the order of their keys; the same on every call."""
    size, chance = Sizes.of(scale), random.Random(f"tpch {table}")
    makers: dict[str, Callable[[], Iterator[Row]]] = {
        "region": _regions,
        "nation": _nations,
        "supplier": partial(_suppliers, size, chance),
        "part": partial(_parts, size, chance),
        "partsupp": partial(_offers, size, chance),
        "customer": partial(_customers, size, chance),
        "orders": lambda: (order for order, _ in _sales(size)),
        "lineitem": lambda: (line for _, lines in _sales(size) for line in lines),
    }
    return makers[table]()


def _regions() -> Iterator[Row]:
    yield from ((key, name, "of the world") for key, name in enumerate(REGIONS))


def _nations() -> Iterator[Row]:
    yield from ((key, name, region, "of its region") for key, (name, region) in enumerate(NATIONS))


def _phone(nation: int, chance: random.Random) -> str:
    return f"{nation + 10}-{chance.randint(100, 999)}-{chance.randint(100, 999)}-{chance.randint(1000, 9999)}"


def _comment(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=4))


def _suppliers(size: Sizes, chance: random.Random) -> Iterator[Row]:
    for key in range(1, size.suppliers + 1):
        nation = chance.randrange(25)
        remark = {7: "Customer said, Complaints", 9: "Customer always Recommends"}.get(key % 50, _comment(chance))
        yield (
            key, f"Supplier#{key:09d}", f"{key} Main Street", nation, _phone(nation, chance),
            cents(chance.randint(-99_999, 999_999)), remark,
        )  # fmt: skip


def _parts(size: Sizes, chance: random.Random) -> Iterator[Row]:
    for key in range(1, size.parts + 1):
        maker = chance.randint(1, 5)
        yield (
            key, " ".join(chance.sample(COLOURS, 5)), f"Manufacturer#{maker}", f"Brand#{maker}{chance.randint(1, 5)}",
            " ".join(map(chance.choice, TYPES)), chance.randint(1, 50), " ".join(map(chance.choice, CONTAINERS)),
            cents(price_of(key)), "a part",
        )  # fmt: skip


def _offers(size: Sizes, chance: random.Random) -> Iterator[Row]:
    for part in range(1, size.parts + 1):
        for supplier in sorted({supplier_of(part, number, size.suppliers) for number in range(4)}):
            yield part, supplier, chance.randint(1, 9_999), cents(chance.randint(100, 100_000)), "an offer"


def _customers(size: Sizes, chance: random.Random) -> Iterator[Row]:
    for key in range(1, size.customers + 1):
        nation = chance.randrange(25)
        yield (
            key, f"Customer#{key:09d}", f"{key} High Street", nation, _phone(nation, chance),
            cents(chance.randint(-99_999, 999_999)), chance.choice(SEGMENTS), _comment(chance),
        )  # fmt: skip


def _sales(size: Sizes) -> Iterator[tuple[Row, list[Row]]]:
    """Orders with their line items; only two customers of three have any."""
    chance = random.Random("tpch sales")
    uniform, days = chance.random, (LAST_ORDER - FIRST_DAY).days + 1
    text = [(FIRST_DAY + dt.timedelta(number)).isoformat() for number in range(days + 200)]
    today = (TODAY - FIRST_DAY).days
    for number in range(size.orders):
        key = number // 8 * 32 + number % 8 + 1
        customer = int(uniform() * size.customers) + 1
        if customer % 3 == 0:
            customer -= 1
        lines: list[Row] = []
        day, total, shipped = int(uniform() * days), 0, 0
        for line in range(1, int(uniform() * 7) + 2):
            part = int(uniform() * size.parts) + 1
            supplier = supplier_of(part, int(uniform() * 4), size.suppliers)
            quantity, discount, tax = int(uniform() * 50) + 1, int(uniform() * 11), int(uniform() * 9)
            sent = day + int(uniform() * 121) + 1
            due, arrived = day + int(uniform() * 61) + 30, sent + int(uniform() * 30) + 1
            extended = quantity * price_of(part)
            total += extended * (100 + tax) * (100 - discount) // 10_000
            shipped += sent <= today
            flag = "RA"[int(uniform() * 2)] if arrived <= today else "N"
            lines.append((
                key, part, supplier, line, f"{quantity}.00", cents(extended), cents(discount), cents(tax), flag,
                "F" if sent <= today else "O", text[sent], text[due], text[arrived],
                INSTRUCTIONS[int(uniform() * 4)], MODES[int(uniform() * 7)], "a line",
            ))  # fmt: skip
        status = "F" if shipped == len(lines) else "O" if not shipped else "P"
        remark = "said special packages requests" if uniform() < 0.012 else "an order"
        clerk = int(uniform() * max(1, size.orders // 1_500)) + 1
        order = (
            key, customer, status, cents(total), text[day], PRIORITIES[int(uniform() * 5)], f"Clerk#{clerk:09d}", 0, remark,
        )  # fmt: skip
        yield order, lines
