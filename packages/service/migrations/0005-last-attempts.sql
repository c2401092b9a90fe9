-- The record of a delivery's latest attempt stands in its own row, which the settlement writes in any case;
-- those before it in earlier_attempts. attempts shows all of them.
ALTER TABLE attempts RENAME TO earlier_attempts;
ALTER TABLE deliveries ADD COLUMN last_number bigint;
ALTER TABLE deliveries ADD COLUMN last_started_at bigint;
ALTER TABLE deliveries ADD COLUMN last_duration_ms bigint;
ALTER TABLE deliveries ADD COLUMN last_status bigint;
ALTER TABLE deliveries ADD COLUMN last_error text;
ALTER TABLE deliveries ADD COLUMN last_answer text;
CREATE VIEW attempts AS
  SELECT delivery_id, number, started_at, duration_ms, status, error, answer FROM earlier_attempts
  UNION ALL
  SELECT id, last_number, last_started_at, last_duration_ms, last_status, last_error, last_answer
  FROM deliveries WHERE last_number IS NOT NULL;
