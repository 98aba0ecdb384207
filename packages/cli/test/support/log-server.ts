import http from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { SmallLog } from '../../../../server/test/support/small-log.ts';

/** What the server does with a path: nothing (false), another body, or everything itself (true). */
export type Lie = (path: string, response: http.ServerResponse) => boolean | Buffer | Promise<boolean | Buffer>;

export const honest: Lie = () => false;

export interface Served {
  log: SmallLog;
  lie: Lie;
  vkey: string;
  former: { vkey: string; succession: string }[];
}

/** Serves a log as a service does, and lies where it is told to. */
export function logServer(served: () => Served, onRequest: (url: string) => void): http.Server {
  return http.createServer(async (request, response) => {
    const { log, lie, vkey, former } = served();
    const url = request.url ?? '';
    onRequest(url);
    if (url === '/.well-known/waybill.json') {
      const description = { origin: log.origin, vkey, url: `http://${request.headers.host}/log`, previous_keys: former };
      return response.end(JSON.stringify({ log: description }));
    }
    const path = url.slice('/log/'.length);
    const lied = await lie(path, response);
    if (lied === true) return;
    const body = lied || (await log.serve(path));
    response.writeHead(body ? 200 : 404).end(body);
  });
}

export function respondWithoutEnd(response: http.ServerResponse): void {
  pipeline(Readable.from(endlessBytes()), response, () => {});
}

function* endlessBytes() {
  for (;;) yield Buffer.alloc(65_536, 'a');
}
