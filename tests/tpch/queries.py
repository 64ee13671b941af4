"""The 22 queries of TPC-H as operations of a catalog, with the substitution values of the specification's answers.

A query that every engine runs alike has one text, with Footnote's typed functions. One with AVG, LIKE or substring has its
text once per dialect, so that it is run as written. What a catalog does not let a statement divide (Q8, Q14, Q17) is
selected as two figures, and divided under `derive`. Plain texts, for the engine's own driver, are made from the same.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

ENGINES = ("postgres", "sqlite", "mysql", "duckdb")


@dataclass(frozen=True)
class TpchQuery:
    """One query.

    Attributes:
        sql: Its text.
        columns: Type of each output column.
        grain: Of which record type one row is one contribution.
        each: Output columns that are the key of the record a row stands for, where it stands for one.
        shape: `one` or `many`.
        native: Whether it has a text per dialect.
        derive: Figures computed from others.
    """

    sql: str
    columns: dict[str, str]
    grain: str
    each: tuple[str, ...] = ()
    shape: str = "many"
    native: bool = False
    derive: dict[str, str] | None = None


QUERIES = {
    1: TpchQuery(
        """
        SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
               SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
               SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, AVG(l_quantity) AS avg_qty,
               AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
        FROM lineitem WHERE l_shipdate <= '1998-09-02'
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus
        """,
        {
            "l_returnflag": "text", "l_linestatus": "text", "sum_qty": "decimal", "sum_base_price": "decimal",
            "sum_disc_price": "decimal", "sum_charge": "decimal", "avg_qty": "decimal", "avg_price": "decimal",
            "avg_disc": "decimal", "count_order": "count",
        },
        "lineitem",
        native=True,
    ),
    2: TpchQuery(
        """
        SELECT s_acctbal, s_name, n_name, p_partkey, s_suppkey, p_mfgr, s_address, s_phone, s_comment
        FROM part, supplier, partsupp, nation, region
        WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS'
              AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE'
              AND ps_supplycost = (SELECT MIN(ps.ps_supplycost)
                                   FROM partsupp AS ps, supplier AS s, nation AS n, region AS r
                                   WHERE p_partkey = ps.ps_partkey AND s.s_suppkey = ps.ps_suppkey
                                         AND s.s_nationkey = n.n_nationkey AND n.n_regionkey = r.r_regionkey
                                         AND r.r_name = 'EUROPE')
        ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100
        """,
        {
            "s_acctbal": "decimal", "s_name": "text", "n_name": "text", "p_partkey": "integer", "s_suppkey": "integer",
            "p_mfgr": "text", "s_address": "text", "s_phone": "text", "s_comment": "text",
        },
        "partsupp",
        each=("p_partkey", "s_suppkey"),
        native=True,
    ),
    3: TpchQuery(
        """
        SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
        FROM customer, orders, lineitem
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
              AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10
        """,
        {"l_orderkey": "integer", "revenue": "decimal", "o_orderdate": "date", "o_shippriority": "integer"},
        "lineitem",
    ),
    4: TpchQuery(
        """
        SELECT o_orderpriority, COUNT(*) AS order_count
        FROM orders
        WHERE o_orderdate >= '1993-07-01' AND o_orderdate < '1993-10-01'
              AND EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
        GROUP BY o_orderpriority ORDER BY o_orderpriority
        """,
        {"o_orderpriority": "text", "order_count": "count"},
        "orders",
    ),
    5: TpchQuery(
        """
        SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
        FROM customer, orders, lineitem, supplier, nation, region
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
              AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
              AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01'
        GROUP BY n_name ORDER BY revenue DESC
        """,
        {"n_name": "text", "revenue": "decimal"},
        "lineitem",
    ),
    6: TpchQuery(
        """
        SELECT SUM(l_extendedprice * l_discount) AS revenue
        FROM lineitem
        WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07
              AND l_quantity < 24
        """,
        {"revenue": "decimal"},
        "lineitem",
        shape="one",
    ),
    7: TpchQuery(
        """
        SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue
        FROM (SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, year_of(l_shipdate) AS l_year,
                     l_extendedprice * (1 - l_discount) AS volume
              FROM supplier, lineitem, orders, customer, nation AS n1, nation AS n2
              WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
                    AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
                    AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
                    AND l_shipdate BETWEEN '1995-01-01' AND '1996-12-31') AS shipping
        GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year
        """,
        {"supp_nation": "text", "cust_nation": "text", "l_year": "integer", "revenue": "decimal"},
        "lineitem",
    ),
    8: TpchQuery(
        """
        SELECT o_year, SUM(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) AS of_nation, SUM(volume) AS of_all
        FROM (SELECT year_of(o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
              FROM part, supplier, lineitem, orders, customer, nation AS n1, nation AS n2, region
              WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
                    AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
                    AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN '1995-01-01' AND '1996-12-31'
                    AND p_type IN ('ECONOMY ANODIZED STEEL', 'ECONOMY ANODIZED TIN', 'ECONOMY PLATED STEEL')) AS all_nations
        GROUP BY o_year ORDER BY o_year
        """,
        {"o_year": "integer", "of_nation": "decimal", "of_all": "decimal"},
        "lineitem",
    ),
    9: TpchQuery(
        """
        SELECT nation, o_year, SUM(amount) AS sum_profit
        FROM (SELECT n_name AS nation, year_of(o_orderdate) AS o_year,
                     l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
              FROM part, supplier, lineitem, partsupp, orders, nation
              WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
                    AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
        GROUP BY nation, o_year ORDER BY nation, o_year DESC
        """,
        {"nation": "text", "o_year": "integer", "sum_profit": "decimal"},
        "lineitem",
        native=True,
    ),
    10: TpchQuery(
        """
        SELECT c_custkey, c_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_address, c_phone,
               c_comment
        FROM customer, orders, lineitem, nation
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= '1993-10-01'
              AND o_orderdate < '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
        GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
        ORDER BY revenue DESC, c_custkey LIMIT 20
        """,
        {
            "c_custkey": "integer", "c_name": "text", "revenue": "decimal", "c_acctbal": "decimal", "n_name": "text",
            "c_address": "text", "c_phone": "text", "c_comment": "text",
        },
        "lineitem",
    ),
    11: TpchQuery(
        """
        SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS worth
        FROM partsupp, supplier, nation
        WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
        GROUP BY ps_partkey
        HAVING SUM(ps_supplycost * ps_availqty) > (SELECT SUM(ps.ps_supplycost * ps.ps_availqty) * 0.005
                                                   FROM partsupp AS ps, supplier AS s, nation AS n
                                                   WHERE ps.ps_suppkey = s.s_suppkey AND s.s_nationkey = n.n_nationkey
                                                         AND n.n_name = 'GERMANY')
        ORDER BY worth DESC, ps_partkey
        """,
        {"ps_partkey": "integer", "worth": "decimal"},
        "partsupp",
    ),
    12: TpchQuery(
        """
        SELECT l_shipmode,
               SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
               SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
        FROM orders, lineitem
        WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
              AND l_shipdate < l_commitdate AND l_receiptdate >= '1994-01-01' AND l_receiptdate < '1995-01-01'
        GROUP BY l_shipmode ORDER BY l_shipmode
        """,
        {"l_shipmode": "text", "high_line_count": "integer", "low_line_count": "integer"},
        "lineitem",
    ),
    13: TpchQuery(
        """
        SELECT c_count, COUNT(*) AS custdist
        FROM (SELECT c_custkey, COUNT(o_orderkey) AS c_count
              FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND NOT o_comment LIKE '%special%requests%'
              GROUP BY c_custkey) AS c_orders
        GROUP BY c_count ORDER BY custdist DESC, c_count DESC
        """,
        {"c_count": "count", "custdist": "count"},
        "customer",
        native=True,
    ),
    14: TpchQuery(
        """
        SELECT SUM(CASE WHEN starts_with(p_type, 'PROMO') THEN l_extendedprice * (1 - l_discount) ELSE 0 END) AS of_promo,
               SUM(l_extendedprice * (1 - l_discount)) AS of_all
        FROM lineitem, part
        WHERE l_partkey = p_partkey AND l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'
        """,
        {"of_promo": "decimal", "of_all": "decimal"},
        "lineitem",
        shape="one",
        derive={"promo_share": "ratio(s.of_promo, s.of_all)"},
    ),
    15: TpchQuery(
        """
        WITH revenue AS (SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue
                         FROM lineitem WHERE l_shipdate >= '1996-01-01' AND l_shipdate < '1996-04-01' GROUP BY l_suppkey)
        SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
        FROM supplier, revenue
        WHERE s_suppkey = supplier_no AND total_revenue = (SELECT MAX(r.total_revenue) FROM revenue AS r)
        ORDER BY s_suppkey
        """,
        {"s_suppkey": "integer", "s_name": "text", "s_address": "text", "s_phone": "text", "total_revenue": "decimal"},
        "supplier",
        each=("s_suppkey",),
    ),
    16: TpchQuery(
        """
        SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt
        FROM partsupp, part
        WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' AND NOT p_type LIKE 'MEDIUM POLISHED%'
              AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
              AND NOT ps_suppkey IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%')
        GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
        """,
        {"p_brand": "text", "p_type": "text", "p_size": "integer", "supplier_cnt": "count"},
        "partsupp",
        native=True,
    ),
    17: TpchQuery(
        """
        SELECT SUM(l_extendedprice) AS of_small, COUNT(*) AS line_count
        FROM lineitem, part
        WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container IN ('MED BOX', 'MED PACK', 'LG BOX')
              AND l_quantity < (SELECT 0.5 * AVG(l.l_quantity) FROM lineitem AS l WHERE l.l_partkey = p_partkey)
        """,
        {"of_small": "decimal", "line_count": "count"},
        "lineitem",
        shape="one",
        native=True,
    ),
    18: TpchQuery(
        """
        SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) AS quantity
        FROM customer, orders, lineitem
        WHERE o_orderkey IN (SELECT l.l_orderkey FROM lineitem AS l GROUP BY l.l_orderkey HAVING SUM(l.l_quantity) > 240)
              AND c_custkey = o_custkey AND o_orderkey = l_orderkey
        GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
        ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100
        """,
        {
            "c_name": "text", "c_custkey": "integer", "o_orderkey": "integer", "o_orderdate": "date",
            "o_totalprice": "decimal", "quantity": "decimal",
        },
        "lineitem",
    ),
    19: TpchQuery(
        """
        SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue, COUNT(*) AS line_count
        FROM lineitem, part
        WHERE p_partkey = l_partkey AND l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON'
              AND ((p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
                    AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 15)
                   OR (p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
                       AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 30)
                   OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
                       AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 45))
        """,
        {"revenue": "decimal", "line_count": "count"},
        "lineitem",
        shape="one",
    ),
    20: TpchQuery(
        """
        SELECT s_suppkey, s_name, s_address
        FROM supplier, nation
        WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp
                            WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
                                  AND ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem
                                                     WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
                                                           AND l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'))
              AND s_nationkey = n_nationkey AND n_name IN ('CANADA', 'CHINA', 'PERU', 'INDIA')
        ORDER BY s_suppkey
        """,
        {"s_suppkey": "integer", "s_name": "text", "s_address": "text"},
        "supplier",
        each=("s_suppkey",),
        native=True,
    ),
    21: TpchQuery(
        """
        SELECT s_name, COUNT(*) AS numwait
        FROM supplier, lineitem AS l1, orders, nation
        WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F'
              AND l1.l_receiptdate > l1.l_commitdate
              AND EXISTS (SELECT 1 FROM lineitem AS l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
              AND NOT EXISTS (SELECT 1 FROM lineitem AS l3
                              WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
                                    AND l3.l_receiptdate > l3.l_commitdate)
              AND s_nationkey = n_nationkey AND n_name IN ('SAUDI ARABIA', 'CHINA', 'JAPAN')
        GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100
        """,
        {"s_name": "text", "numwait": "count"},
        "lineitem",
    ),
    22: TpchQuery(
        """
        SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal
        FROM (SELECT SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal
              FROM customer
              WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
                    AND c_acctbal > (SELECT AVG(c.c_acctbal) FROM customer AS c
                                     WHERE c.c_acctbal > 0.00
                                           AND SUBSTRING(c.c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
                    AND NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = c_custkey)) AS custsale
        GROUP BY cntrycode ORDER BY cntrycode
        """,
        {"cntrycode": "text", "numcust": "count", "totacctbal": "decimal"},
        "customer",
        native=True,
    ),
}  # fmt: skip

RECORDS = """
  region: {table: region, key: [r_regionkey], label: "{r_name}", fields: {r_name: {type: text}}}
  nation: {table: nation, key: [n_nationkey], label: "{n_name}", fields: {n_name: {type: text}, n_regionkey: {type: integer}}}
  supplier:
    table: supplier
    key: [s_suppkey]
    label: "{s_name}"
    fields: {s_name: {type: text}, s_nationkey: {type: integer}, s_acctbal: {type: decimal}}
  part:
    table: part
    key: [p_partkey]
    label: "{p_name}"
    fields: {p_name: {type: text}, p_brand: {type: text}, p_type: {type: text}, p_size: {type: integer}}
  partsupp:
    table: partsupp
    key: [ps_partkey, ps_suppkey]
    label: "{ps_partkey}/{ps_suppkey}"
    fields:
      ps_partkey: {type: integer}
      ps_suppkey: {type: integer}
      ps_availqty: {type: integer}
      ps_supplycost: {type: decimal}
  customer:
    table: customer
    key: [c_custkey]
    label: "{c_name}"
    fields: {c_name: {type: text}, c_mktsegment: {type: text}, c_acctbal: {type: decimal}, c_phone: {type: text}}
  orders:
    table: orders
    key: [o_orderkey]
    label: "{o_orderkey}"
    fields: {o_orderkey: {type: integer}, o_orderdate: {type: date}, o_totalprice: {type: decimal}}
  lineitem:
    table: lineitem
    key: [l_orderkey, l_linenumber]
    label: "{l_orderkey}/{l_linenumber}"
    fields:
      l_orderkey: {type: integer}
      l_linenumber: {type: integer}
      l_quantity: {type: decimal}
      l_extendedprice: {type: decimal}
      l_discount: {type: decimal}
      l_tax: {type: decimal}
      l_shipdate: {type: date}
      l_commitdate: {type: date}
      l_receiptdate: {type: date}
"""


def catalog(numbers: tuple[int, ...] = tuple(QUERIES)) -> str:
    """The catalog: one operation a query, `q1` to `q22`."""
    head = (
        'catalog: tpch\nversion: 1\nsource: {url: "${DATABASE_URL}", dialect: postgres, '
        f"engines: [{', '.join(ENGINES)}], timeout: 10m}}\nrecords:{RECORDS}operations:\n"
    )
    return head + "".join(_operation(number, QUERIES[number]) for number in numbers)


def _operation(number: int, query: TpchQuery) -> str:
    each = f"        each: {{record: {query.grain}, key: [{', '.join(query.each)}]}}\n" if query.each else ""
    columns = "".join(f"          {name}: {{type: {kind}}}\n" for name, kind in query.columns.items())
    derive = "".join(
        f'      {name}: {{type: percent, expression: "{value}"}}\n' for name, value in (query.derive or {}).items()
    )
    return (
        f"  q{number}:\n    title: Query {number}\n    description: Query {number} of TPC-H.\n    answer: a\n"
        f"    statements:\n      s:\n        shape: {query.shape}\n        grain: {query.grain}\n{each}{_statement(query)}"
        f"        columns:\n{columns}" + (f"    derive:\n{derive}" if derive else "")
    )


def _statement(query: TpchQuery) -> str:
    text = textwrap.dedent(query.sql).strip()
    if not query.native:
        return "        statement: |\n" + textwrap.indent(text, " " * 10) + "\n"
    each = "".join(f"          {engine}: |\n{textwrap.indent(text, ' ' * 12)}\n" for engine in ENGINES)
    return "        statement:\n" + each


def plain(number: int, engine: str) -> str:
    """The query as the engine's own driver runs it."""
    year = r"CAST(STRFTIME('%Y', \1) AS INTEGER)" if engine == "sqlite" else r"EXTRACT(YEAR FROM \1)"
    text = re.sub(r"year_of\((\w+)\)", year, QUERIES[number].sql)
    return re.sub(r"starts_with\((\w+), '(\w+)'\)", r"\1 LIKE '\2%'", text)
