-- Life cycle of credentials.

-- Tokens that come from one another by refreshing are a family. A refresh token that is presented a
-- second time was stolen, or its successor was: all tokens of the family end.
ALTER TABLE oauth_tokens ADD COLUMN family TEXT;
-- When a refresh token was used. Its row stays for a while, to recognise a second use.
ALTER TABLE oauth_tokens ADD COLUMN used_ms BIGINT;
-- Access tokens of before have an hour at most to live.
UPDATE oauth_tokens SET family = hash WHERE kind = 'refresh_token';
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family, used_ms) WHERE family IS NOT NULL;
CREATE INDEX oauth_tokens_by_client ON oauth_tokens (oauth_client_id);

-- JSON array of what the key may do; NULL: everything that its owner may do.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
-- Written once an hour at most.
ALTER TABLE api_keys ADD COLUMN last_used_ms BIGINT;
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- From then on all credentials of the person are refused.
ALTER TABLE users ADD COLUMN disabled_ms BIGINT;
