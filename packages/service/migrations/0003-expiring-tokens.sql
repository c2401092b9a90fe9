-- Expired tokens are deleted, the longest expired first.
CREATE INDEX tokens_expiring ON tokens (expires_at) WHERE expires_at IS NOT NULL;
