import { parseTilePath } from '@waybill/proof';
import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import type { WitnessView } from '../attestations/witnesses.ts';
import type { Log } from './log.ts';

interface Services {
  transparencyLog: Log;
  witnesses: { list(): Promise<WitnessView[]> } | undefined;
  publicUrl: string;
  config: { logPublic: boolean };
}

const { publicEndpoint } = endpointsFor<Services>();

/** A checkpoint is replaced each second. A tile never changes. */
const FOR_A_MOMENT = 'public, max-age=1';
const FOR_EVER = 'public, max-age=31536000, immutable';
const FIRST_LOG = 1;

const TEXT = { status: 200, description: 'The signed checkpoint.', contentType: 'text/plain; charset=utf-8' };
const BYTES = { status: 200, description: 'The hashes of a tile, or the entries of a bundle.', contentType: 'application/octet-stream' };
const WhichLog = Type.Object({ log: Type.String() });

export const checkpoint = publicEndpoint({
  summary: 'Get the newest checkpoint of the log',
  isCrossOrigin: true,
  success: TEXT,
  errors: ['not_found'],
  handle: (context) => showCheckpoint(context, FIRST_LOG),
});

export const laterCheckpoint = publicEndpoint({
  summary: 'Get the newest checkpoint of a later log',
  isCrossOrigin: true,
  params: WhichLog,
  success: TEXT,
  errors: ['not_found'],
  handle: (context, { params }) => showCheckpoint(context, laterLog(params.log)),
});

export const tile = publicEndpoint({
  summary: 'Get a tile, or a bundle of entries, of the log',
  isCrossOrigin: true,
  params: Type.Object({ '*': Type.String() }),
  success: BYTES,
  errors: ['not_found'],
  handle: (context, { params }) => showTile(context, FIRST_LOG, params['*']),
});

export const laterTile = publicEndpoint({
  summary: 'Get a tile, or a bundle of entries, of a later log',
  isCrossOrigin: true,
  params: Type.Object({ log: Type.String(), '*': Type.String() }),
  success: BYTES,
  errors: ['not_found'],
  handle: (context, { params }) => showTile(context, laterLog(params.log), params['*']),
});

export const wellKnown = publicEndpoint({
  summary: 'Get the name and the key of the log',
  isCrossOrigin: true,
  success: { status: 200, description: 'What verifiers of proofs need.', contentType: 'application/json; charset=utf-8' },
  errors: ['not_found'],
  handle: async ({ transparencyLog, witnesses, publicUrl }) => {
    const views = (await transparencyLog.logs()).map(({ number, origin, keys: [key, ...previousKeys] }) => ({
      origin,
      vkey: key?.vkey,
      url: number === FIRST_LOG ? `${publicUrl}/log` : `${publicUrl}/log/${number}`,
      ...(previousKeys.length > 0 && { previous_keys: previousKeys }),
    }));
    const log = views.pop();
    if (!log) throw notFound();
    return {
      headers: { 'cache-control': 'public, max-age=60' },
      body: { log, previous_logs: views.toReversed(), witnesses: await describeAll(witnesses) },
    };
  },
});

/** `failing` says that the last request to the witness has failed. */
async function describeAll(witnesses: Services['witnesses']) {
  const views = (await witnesses?.list()) ?? [];
  return views.map(({ name, vkey, url, size, cosignedAt, failure }) => ({
    name,
    vkey,
    url,
    size,
    cosigned_at: cosignedAt?.toISOString() ?? null,
    failing: failure !== null,
  }));
}

async function showCheckpoint({ transparencyLog, config }: Services, log: number): Promise<HttpResponse> {
  if (!config.logPublic) throw notFound();
  const note = await transparencyLog.shownNote(log);
  if (note === undefined) throw notFound();
  return { headers: { 'cache-control': FOR_A_MOMENT }, body: note };
}

async function showTile({ transparencyLog, config }: Services, log: number, path: string): Promise<HttpResponse> {
  const name = parseTilePath(`tile/${path}`);
  if (!name || !config.logPublic) throw notFound();
  const { level, index, width } = name;
  const bytes =
    level === 'entries'
      ? await transparencyLog.publishedEntries(log, index, width)
      : await transparencyLog.publishedTile(log, level, index, width);
  if (!bytes) throw notFound();
  return { headers: { 'cache-control': FOR_EVER }, body: Buffer.from(bytes) };
}

/** The first log has no number in its path. */
function laterLog(log: string): number {
  if (!/^(?:[2-9]|[1-9]\d{1,3})$/.test(log)) throw notFound();
  return Number(log);
}

function notFound(): Refusal {
  return new Refusal('not_found', 'The log has no such checkpoint, tile or bundle of entries.');
}
