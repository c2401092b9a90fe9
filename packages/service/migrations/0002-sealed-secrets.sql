-- The id of the key that a subscription's secret is sealed under. What was stored in the clear is sealed
-- in the same transaction, by the service; NULL is no secret that it takes.
ALTER TABLE subscriptions ADD COLUMN secret_key_id text;
