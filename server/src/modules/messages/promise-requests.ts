import { Type } from 'typebox';
import type { Call, HttpResponse } from '../../http/endpoint.ts';
import { whileConnected } from '../../http/while-connected.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Log } from '../log/log.ts';
import type { LogPromise } from '../promises/certified-key.ts';
import type { LoggedWaits } from '../promises/logged-waits.ts';
import type { Promises } from '../promises/promises.ts';
import type { Sent } from './send-message.ts';
import { findPosition } from './store.ts';

export interface PromiseServices {
  database: Database;
  transparencyLog: Log;
  promises: Promises;
  loggedWaits: LoggedWaits;
}

const WAIT_LOGGED = 'wait=logged';

export const preferHeader = Type.Optional(
  Type.String({
    description:
      '`wait=logged`: the response waits some seconds until the log has the message. Then it has the proof in `proof`, and the header Preference-Applied; if it takes longer, neither.',
  }),
);

/** A repeat of an idempotency key gets a promise of its own, for the same message. Undefined: the service promises nothing at present. */
export async function promiseOf(
  { database, transparencyLog, promises }: Pick<PromiseServices, 'database' | 'transparencyLog' | 'promises'>,
  senderId: bigint,
  { message, position }: Sent,
): Promise<LogPromise | undefined> {
  const { contentHash } = message;
  if (position !== undefined) return promises.of({ contentHash, position });
  const location = await transparencyLog.locateMessage(senderId, message.id);
  if (location === 'unlogged') return undefined;
  return promises.of({ contentHash, position: await findPosition(database.of(senderId), senderId, message.id) }, location?.log);
}

/** Adds the promise to the response to a send, and the proof if the request waits for it. */
export async function withPromise(
  services: PromiseServices,
  { request }: Pick<Call, 'request'>,
  senderId: bigint,
  sent: Sent,
  response: { headers: Record<string, string>; body: string },
): Promise<HttpResponse> {
  const promise = await promiseOf(services, senderId, sent);
  const proof = prefersLogged(request.headers['prefer'])
    ? await whileConnected(request, (gone) => services.loggedWaits.proofOf(senderId, sent.message.id, gone))
    : undefined;
  const { headers, body } = response;
  if (!promise && proof === undefined) return response;
  const members = `${promise ? `,"promise":${promise.json}` : ''}${proof === undefined ? '' : `,"proof":${JSON.stringify(proof)}`}`;
  return {
    headers: {
      ...headers,
      ...(promise && { 'waybill-promise': promise.header }),
      ...(proof !== undefined && { 'preference-applied': WAIT_LOGGED }),
    },
    body: `${body.slice(0, -1)}${members}}`,
  };
}

function prefersLogged(header: string | string[] | undefined): boolean {
  return (
    header !== undefined &&
    String(header)
      .split(',')
      .some((one) => one.trim().toLowerCase() === WAIT_LOGGED)
  );
}
