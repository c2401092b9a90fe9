-- One text for SQLite and PostgreSQL. Ids are text made by the application; times are bigint
-- milliseconds since 1970 bound from a clock, never now(); money is bigint cents; payloads are text,
-- since the stored bytes are the signed bytes. Flags are 0 or 1.

-- A namespace's clock. "live" is real time and has no instant of its own.
CREATE TABLE clocks (
  id text PRIMARY KEY,
  instant bigint
);
INSERT INTO clocks (id, instant) VALUES ('live', NULL);

CREATE TABLE merchants (
  id text PRIMARY KEY,
  name text NOT NULL,
  clock_id text NOT NULL REFERENCES clocks (id),
  created_at bigint NOT NULL
);

-- OAuth clients; the secret is kept as a SHA-256 only. Scopes are separated by a space.
CREATE TABLE clients (
  id text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  secret_hash text NOT NULL,
  scopes text NOT NULL,
  created_at bigint NOT NULL
);

-- Access tokens, as SHA-256 only. expires_at is real time; NULL never expires (sandbox tokens).
CREATE TABLE tokens (
  hash text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  client_id text REFERENCES clients (id),
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);

CREATE TABLE customers (
  id text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  clock_id text NOT NULL REFERENCES clocks (id),
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text NOT NULL,
  status text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX customers_of_merchant ON customers (merchant_id, created_at);

CREATE TABLE accounts (
  id text PRIMARY KEY,
  customer_id text NOT NULL REFERENCES customers (id),
  merchant_id text NOT NULL REFERENCES merchants (id),
  institution text NOT NULL,
  last_four text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  preferred bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX accounts_of_customer ON accounts (customer_id, created_at);

-- Debits and refunds (direction CREDIT), one record type. reserved_cents of a debit is the sum of its
-- PENDING and AUTHORIZED refunds. due_at of a PENDING refund is when it becomes AUTHORIZED.
CREATE TABLE payments (
  id text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  clock_id text NOT NULL REFERENCES clocks (id),
  customer_id text NOT NULL REFERENCES customers (id),
  direction text NOT NULL CHECK (direction IN ('DEBIT', 'CREDIT')),
  original_id text REFERENCES payments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  reserved_cents bigint NOT NULL DEFAULT 0,
  status text NOT NULL,
  request_key text NOT NULL,
  client_reference_id text,
  soft_descriptor text,
  covered bigint NOT NULL DEFAULT 0,
  error_code text,
  error_message text,
  created_at bigint NOT NULL,
  settled_at bigint,
  failed_at bigint,
  due_at bigint,
  CHECK (reserved_cents >= 0 AND reserved_cents <= amount_cents),
  CONSTRAINT payments_request_key UNIQUE (merchant_id, request_key)
);
CREATE INDEX payments_of_merchant ON payments (merchant_id, created_at);
CREATE INDEX refunds_of_payment ON payments (original_id) WHERE original_id IS NOT NULL;
CREATE INDEX payments_due ON payments (clock_id, due_at) WHERE due_at IS NOT NULL;

-- selection is JSON: the included and excluded sets of categories and names, never expanded.
CREATE TABLE subscriptions (
  key text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  clock_id text NOT NULL REFERENCES clocks (id),
  url text NOT NULL,
  secret text NOT NULL,
  selection text NOT NULL,
  status text NOT NULL CHECK (status IN ('ACTIVE', 'PAUSED', 'CLOSED')),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  consecutive_failures bigint NOT NULL DEFAULT 0,
  failing_since bigint,
  last_success_at bigint
);
CREATE INDEX subscriptions_of_merchant ON subscriptions (merchant_id, status);

CREATE TABLE events (
  id text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants (id),
  clock_id text NOT NULL REFERENCES clocks (id),
  type text NOT NULL,
  category text NOT NULL,
  payload text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX events_of_merchant ON events (merchant_id, created_at);

-- The queue: a row waits while next_at is set. next_at is the time of the row's clock; leased_until is
-- real time. attempts is the fencing token: a settlement names the attempt that it settles.
CREATE TABLE deliveries (
  id text PRIMARY KEY,
  event_id text NOT NULL REFERENCES events (id),
  subscription_key text NOT NULL REFERENCES subscriptions (key),
  merchant_id text NOT NULL REFERENCES merchants (id),
  clock_id text NOT NULL REFERENCES clocks (id),
  state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'exhausted', 'dropped')),
  attempts bigint NOT NULL DEFAULT 0,
  next_at bigint,
  leased_until bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  CONSTRAINT deliveries_once UNIQUE (event_id, subscription_key)
);
CREATE INDEX deliveries_due ON deliveries (clock_id, subscription_key, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_of_merchant ON deliveries (merchant_id, created_at);

-- One row an HTTP POST; started_at is real time, answer the first 1 KiB of the response as text.
CREATE TABLE attempts (
  delivery_id text NOT NULL REFERENCES deliveries (id),
  number bigint NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status bigint,
  error text,
  answer text,
  PRIMARY KEY (delivery_id, number)
);
