import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Waybill, WaybillError } from '@waybill/client';
import { type Call, UsageError } from '../command.ts';
import { visible } from '../output.ts';

/** Gets a key by a code that a person compares on a page of the service, which it opens. */
export async function keyByCode(url: string, { output, io, signal }: Call): Promise<string> {
  const waybill = new Waybill({ baseUrl: url });
  const name = `waybill on ${hostname()}`.slice(0, 100);
  const login = await waybill.request('POST /v1/device-logins', { body: { name } }, { signal, isRepeatable: true });
  const { device_code, user_code, verification_url, expires_in_s, interval_s } = login;
  output.note(`Open ${visible(verification_url)}\nand compare the code: ${output.paint('bold', visible(user_code))}`);
  if (io.stderr.isTTY) openBrowser(verification_url);
  const endsAt = Date.now() + expires_in_s * 1000;
  while (Date.now() < endsAt) {
    await sleep(interval_s * 1000, undefined, { signal });
    const given = await fetchKey(waybill, device_code, signal);
    if (given !== undefined) return given;
  }
  throw new UsageError('Nobody has allowed it in time. Begin again: waybill login');
}

/** Undefined while nobody has decided. */
async function fetchKey(waybill: Waybill, device_code: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const text = await waybill.requestText('POST /v1/device-logins/key', { body: { device_code } }, { signal });
    return text === '' ? undefined : JSON.parse(text).key;
  } catch (error) {
    if (error instanceof WaybillError && error.code === 'not_found')
      throw new UsageError('It was refused, or has expired. Begin again: waybill login');
    // Asked again a little later.
    if (error instanceof WaybillError && error.isTemporary) return undefined;
    throw error;
  }
}

/** Where there is none, the address is on the terminal. */
function openBrowser(url: string): void {
  if (!/^https?:\/\//.test(url)) return;
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
