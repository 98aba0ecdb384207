import http from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { SmallLog } from '../../../../server/test/support/small-log.ts';

/** The behaviour of the server at a path: the usual response (false), another body, or a response by the function itself (true). */
export type Lie = (path: string, response: http.ServerResponse) => boolean | Buffer | Promise<boolean | Buffer>;

export const honest: Lie = () => false;

interface Served {
  log: SmallLog;
  lie: Lie;
  vkey: string;
  former: { vkey: string; succession: string }[];
}

/** Serves a log like a service, and lies where a test wants it. */
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
