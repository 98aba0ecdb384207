import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';
import { eachWebhook, KEY_ROW, toKey, type WebhookKey } from './attempt-store.ts';

/** Null stands for a secret value. */
export type Header = [name: string, value: string | null];

export interface KeptExchange {
  url: string;
  requestHeaders: Header[];
  bodySha256: Buffer;
  /** Null without a response, and for private hosts. */
  responseHeaders: Header[] | null;
  responseBody: string | null;
  isTruncated: boolean;
}

interface ExchangeOf extends WebhookKey {
  id: string;
  exchange: KeptExchange;
}

const INSERT = statement(
  `INSERT INTO webhook_exchanges
     (party_id, webhook_id, attempt_id, url, request_headers, body_sha256, response_headers, response_body, is_truncated)
   SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::boolean[])
   ON CONFLICT DO NOTHING`,
);

/** An attempt that was repeated keeps its first exchange. */
export async function insertExchanges(db: Queryable, attempts: readonly ExchangeOf[]): Promise<void> {
  const exchanges = attempts.map(({ exchange }) => exchange);
  await db.query(INSERT, [
    attempts.map(({ partyId }) => partyId),
    attempts.map(({ webhookId }) => webhookId),
    attempts.map(({ id }) => id),
    exchanges.map(({ url }) => url),
    exchanges.map(({ requestHeaders }) => JSON.stringify(requestHeaders)),
    exchanges.map(({ bodySha256 }) => bodySha256),
    exchanges.map(({ responseHeaders }) => responseHeaders && JSON.stringify(responseHeaders)),
    exchanges.map(({ responseBody }) => responseBody),
    exchanges.map(({ isTruncated }) => isTruncated),
  ]);
}

const EXCHANGES = statement(
  `SELECT attempt_id, url, request_headers, body_sha256, response_headers, response_body, is_truncated FROM webhook_exchanges
    WHERE party_id = $1 AND webhook_id = $2 AND attempt_id = ANY ($3::uuid[])`,
  {
    attempt_id: 'uuid',
    url: 'text',
    request_headers: 'text',
    body_sha256: 'bytea',
    response_headers: 'text?',
    response_body: 'text?',
    is_truncated: 'boolean',
  },
);

export async function findExchanges(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  attemptIds: readonly string[],
): Promise<Map<string, KeptExchange>> {
  const rows = await db.query(EXCHANGES, [partyId, webhookId, attemptIds]);
  return new Map(
    rows.map((row) => [
      row.attempt_id,
      {
        url: row.url,
        requestHeaders: JSON.parse(row.request_headers),
        bodySha256: row.body_sha256,
        responseHeaders: row.response_headers === null ? null : JSON.parse(row.response_headers),
        responseBody: row.response_body,
        isTruncated: row.is_truncated,
      },
    ]),
  );
}

const WITH_EXCHANGES = statement(
  `${eachWebhook('true', 'webhook_exchanges')}
   SELECT f.party_id, f.webhook_id, EXISTS (SELECT 1 FROM webhooks w WHERE w.party_id = f.party_id AND w.id = f.webhook_id) AS exists FROM found f`,
  { ...KEY_ROW, exists: 'boolean' },
);

export async function webhooksWithExchanges(db: Queryable): Promise<(WebhookKey & { exists: boolean })[]> {
  return (await db.query(WITH_EXCHANGES)).map((row) => ({ ...toKey(row), exists: row.exists }));
}

const DELETE_ALL = statement('DELETE FROM webhook_exchanges WHERE party_id = $1 AND webhook_id = $2');

export async function deleteExchanges(db: Queryable, { partyId, webhookId }: WebhookKey): Promise<void> {
  await db.query(DELETE_ALL, [partyId, webhookId]);
}

const DELETE_OLD = statement(
  `DELETE FROM webhook_exchanges WHERE party_id = $1 AND webhook_id = $2
      AND (attempt_id < (SELECT new_uuid(now() - make_interval(days => $3)))
           OR attempt_id < (SELECT attempt_id FROM webhook_exchanges WHERE party_id = $1 AND webhook_id = $2
                             ORDER BY attempt_id DESC OFFSET $4 LIMIT 1))`,
);

export async function deleteOldExchanges(db: Queryable, { partyId, webhookId }: WebhookKey, days: number, max: number): Promise<void> {
  await db.query(DELETE_OLD, [partyId, webhookId, days, max - 1]);
}
