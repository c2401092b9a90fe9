-- Who let a paused subscription go on, after how many failures in a row, and when: at is the time of its clock.
CREATE TABLE resumes (
  subscription_key text NOT NULL REFERENCES subscriptions (key),
  merchant_id text NOT NULL REFERENCES merchants (id),
  asked_by text NOT NULL,
  failures bigint NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX resumes_of_merchant ON resumes (merchant_id, at);
CREATE INDEX resumes_of_subscription ON resumes (subscription_key);
