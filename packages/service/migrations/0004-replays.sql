-- Who had a delivery attempted again, what it was until then, and when: at is the time of its clock.
CREATE TABLE replays (
  delivery_id text NOT NULL REFERENCES deliveries (id),
  merchant_id text NOT NULL REFERENCES merchants (id),
  asked_by text NOT NULL,
  state text NOT NULL,
  attempts bigint NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX replays_of_merchant ON replays (merchant_id, at);
CREATE INDEX replays_of_delivery ON replays (delivery_id);
