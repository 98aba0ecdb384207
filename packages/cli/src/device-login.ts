import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Waybill, WaybillError } from '@waybill/client';
import type { Call } from './command.ts';
import { visible } from './output.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open', win32: 'explorer.exe' };
const NAME_MAX_CHARS = 100;
/** Polls are at least this far apart, whatever the service says. */
const INTERVAL_MIN_S = 1;

export async function keyByDevice({ options, output, io, signal }: Call, url: string): Promise<string> {
  const waybill = new Waybill({ baseUrl: url });
  const name = `waybill on ${hostname()}`.slice(0, NAME_MAX_CHARS);
  const login = await waybill.request('POST /v1/device-logins', { body: { name } }, { signal });
  output.note(
    `Open ${visible(login.verification_url)}\nEnter the code ${visible(login.user_code)} there, and allow the login. It waits for ${Math.round(login.expires_in_s / 60)} minutes.`,
  );
  if (io.stderr.isTTY && !options.is('no-browser')) openBrowser(login.verification_url);
  for (;;) {
    await sleep(Math.max(INTERVAL_MIN_S, login.interval_s) * 1_000, undefined, { signal });
    const fetched = await waybill
      .request('POST /v1/device-logins/key', { body: { device_code: login.device_code } }, { signal })
      .catch(untilDecided);
    if (fetched) return fetched.key;
  }
}

/** A broken connection is no decision. */
function untilDecided(error: unknown): undefined {
  if (!(error instanceof WaybillError)) throw error;
  if (error.isTemporary) return undefined;
  const reason = 'The login was refused, or nobody allowed it in time. Run waybill login again.';
  throw error.code === 'not_found' ? new WaybillError('not_found', reason, { status: error.status, requestId: error.requestId }) : error;
}

/** On a machine without a browser, the person opens the address elsewhere. */
function openBrowser(address: string): void {
  const opener = OPENERS[process.platform];
  // The address comes from the service: it must not be a file or an option.
  if (!opener || !/^https?:\/\//.test(address)) return;
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
