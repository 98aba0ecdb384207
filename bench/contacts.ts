import { TYPE } from './payload.ts';
import { compare, cursorOfPage, type PageResult, type Reader } from './read-pages.ts';
import type { ServiceUnderTest } from './service-process.ts';

/** Inserts contacts directly: parties with a name, counted messages, two types and an actor each. */
export async function fillContacts({ sql }: ServiceUnderTest, { id }: Reader, name: string, contacts: number): Promise<void> {
  await sql.query(
    `INSERT INTO parties (handle, display_name, folded_name) SELECT $1 || '-' || n, 'Company ' || n, 'company ' || n FROM generate_series(1, $2::integer) n`,
    [name, contacts],
  );
  const fill = (into: string, columns: string) =>
    sql.query(`INSERT INTO ${into} SELECT $1::bigint, p.id, ${columns} FROM parties p WHERE starts_with(p.handle, $2 || '-')`, [id, name]);
  await fill(
    'contacts (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)',
    `new_uuid(now()), now(), now(), 'in', 10, 0`,
  );
  await fill('contact_names (party_id, other_id, name)', 'p.folded_name');
  await sql.query('SELECT index_contacts($1::bigint, $2::integer)', [id, contacts]);
  await fill('contact_types (party_id, other_id, type)', `'${TYPE}'`);
  await fill('contact_types (party_id, other_id, type)', `'invoice'`);
  await fill('contact_actors (party_id, other_id, actor_id, kind, name)', `'agt_' || p.id, 'agent', 'Order desk'`);
  await sql.query('VACUUM ANALYZE parties, contacts, contact_names, contact_types, contact_actors');
}

/** Measures pages of many contacts, as multiples of the first page of few. */
export async function measureContacts(service: ServiceUnderTest, small: Reader, large: Reader): Promise<PageResult[]> {
  const deep = await cursorOfPage(service, large.key, '/contacts', 1_000);
  return compare(service, { name: '100: first page', key: small.key, path: '/contacts' }, large.key, [
    ['100,000: first page', '/contacts'],
    ['100,000: 1,000th page', `/contacts?cursor=${deep}`],
    ['type, matching all', `/contacts?type=${TYPE}`],
    ['q, matching all', '/contacts?q=COMPANY'],
    ['q, matching nothing', '/contacts?q=nothing'],
  ]);
}
