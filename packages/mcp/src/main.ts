import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WaybillError } from '@waybill/client';
import { serveStdio } from './stdio.ts';

/** The server over stdio as a program of its own: `WAYBILL_URL=… WAYBILL_KEY=… node packages/mcp/src/main.ts`. */
const { WAYBILL_URL: baseUrl, WAYBILL_KEY: key } = process.env;
const { version }: { version: string } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../package.json'), 'utf8'));

if (baseUrl === undefined || key === undefined) end('Set WAYBILL_URL to the address of the service, and WAYBILL_KEY to an API key.');
try {
  await serveStdio({ baseUrl, key, version });
} catch (error) {
  end(error instanceof WaybillError ? error.message : String(error));
}

function end(reason: string): never {
  console.error(reason);
  process.exit(1);
}
