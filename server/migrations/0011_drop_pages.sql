-- In each shard:

-- What a business shows on its drop page.
CREATE TABLE drop_pages (
  party_id   bigint NOT NULL PRIMARY KEY,
  welcome    text   NOT NULL DEFAULT '',
  -- #rrggbb
  accent     text,
  logo       bytea,
  logo_type  text,
  -- In the address of the logo, so that browsers may keep it.
  logo_hash  text,
  CHECK (num_nonnulls(logo, logo_type, logo_hash) IN (0, 3))
);
