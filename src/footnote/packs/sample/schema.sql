-- Fabelhaft Handels GmbH, a trading company that does not exist. Everything here is invented.
--
-- The same text runs on SQLite and PostgreSQL. Amounts are whole minor units of the row's currency (cents; whole yen),
-- without taxes. Dates are DATE (on SQLite: ISO 8601 text). Rows are in data/*.csv, made by scripts/make_sample.py.

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL,
  country TEXT NOT NULL CHECK (length(country) = 2),
  segment TEXT NOT NULL CHECK (segment IN ('enterprise', 'mid-market', 'small')),
  payment_terms_days INTEGER NOT NULL CHECK (payment_terms_days > 0),
  account_owner TEXT NOT NULL,
  customer_since DATE NOT NULL
);

CREATE TABLE suppliers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL,
  country TEXT NOT NULL CHECK (length(country) = 2),
  category TEXT NOT NULL,
  payment_terms_days INTEGER NOT NULL CHECK (payment_terms_days > 0)
);

-- Invoices and credit notes. A credit note has a negative amount and names the invoice it credits.
-- status: open      not settled yet; of a credit note: not used yet
--         paid      paid in full, or more than that
--         credited  cancelled in full: the invoice and its credit note both have it, and together they are zero
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  issued_on DATE NOT NULL,
  due_on DATE NOT NULL,
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_cents BIGINT NOT NULL CHECK (amount_cents <> 0),
  paid_cents BIGINT NOT NULL DEFAULT 0 CHECK (paid_cents >= 0),
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'credited')),
  credits_invoice_id INTEGER REFERENCES invoices (id),
  CHECK (due_on >= issued_on),
  CHECK ((amount_cents < 0) = (credits_invoice_id IS NOT NULL)),
  CHECK (status <> 'open' OR amount_cents < 0 OR paid_cents < amount_cents),
  CHECK (status <> 'paid' OR (amount_cents > 0 AND paid_cents >= amount_cents)),
  CHECK (status <> 'credited' OR paid_cents = 0)
);
CREATE INDEX invoices_customer ON invoices (customer_id, due_on);
CREATE INDEX invoices_issued ON invoices (issued_on);

-- Money received. The payments of an invoice add up to its paid_cents.
CREATE TABLE payments (
  id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  received_on DATE NOT NULL,
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_cents BIGINT NOT NULL CHECK (amount_cents > 0),
  method TEXT NOT NULL CHECK (method IN ('bank_transfer', 'direct_debit')),
  reference TEXT NOT NULL
);
CREATE INDEX payments_invoice ON payments (invoice_id);
CREATE INDEX payments_received ON payments (received_on);

-- What suppliers billed. A supplier's credit note has a negative amount and names the bill it credits.
CREATE TABLE bills (
  id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
  received_on DATE NOT NULL,
  due_on DATE NOT NULL,
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_cents BIGINT NOT NULL CHECK (amount_cents <> 0),
  paid_cents BIGINT NOT NULL DEFAULT 0 CHECK (paid_cents >= 0),
  status TEXT NOT NULL CHECK (status IN ('open', 'paid')),
  credits_bill_id INTEGER REFERENCES bills (id),
  CHECK (due_on >= received_on),
  CHECK ((amount_cents < 0) = (credits_bill_id IS NOT NULL)),
  CHECK (status <> 'open' OR amount_cents < 0 OR paid_cents < amount_cents),
  CHECK (status <> 'paid' OR (amount_cents > 0 AND paid_cents >= amount_cents))
);
CREATE INDEX bills_supplier ON bills (supplier_id, due_on);

-- Money paid to suppliers. The payments of a bill add up to its paid_cents.
CREATE TABLE bill_payments (
  id INTEGER PRIMARY KEY,
  bill_id INTEGER NOT NULL REFERENCES bills (id),
  paid_on DATE NOT NULL,
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_cents BIGINT NOT NULL CHECK (amount_cents > 0),
  method TEXT NOT NULL CHECK (method IN ('bank_transfer', 'direct_debit')),
  reference TEXT NOT NULL
);
CREATE INDEX bill_payments_bill ON bill_payments (bill_id);

-- Support tickets. closed_on is when a ticket was last closed, reopened_on when it was last reopened:
-- it is open if it was never closed, or if it was reopened after that.
CREATE TABLE tickets (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  opened_on DATE NOT NULL,
  closed_on DATE,
  reopened_on DATE,
  severity TEXT NOT NULL CHECK (severity IN ('low', 'medium', 'high')),
  subject TEXT NOT NULL,
  CHECK (closed_on IS NULL OR closed_on >= opened_on),
  CHECK (reopened_on IS NULL OR (closed_on IS NOT NULL AND reopened_on > opened_on AND reopened_on <> closed_on))
);
CREATE INDEX tickets_customer ON tickets (customer_id);
