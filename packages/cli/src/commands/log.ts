import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  BUNDLE_BYTES_MAX,
  decodeText,
  type FormerKey,
  formatVkey,
  isSuccessor,
  KEY_TYPE,
  type Policy,
  ProofError,
  parsePolicy,
  parseVkey,
  type VerifierKey,
} from '@waybill/proof';
import { type AuditReport, audit } from '../audit/audit.ts';
import { AuditFile } from '../audit/audit-state.ts';
import { DESCRIPTION, DESCRIPTION_MAX_BYTES, keysUpTo, withKeysNamedAt, withNamedKeys } from '../audit/log-keys.ts';
import { LogSource } from '../audit/log-source.ts';
import { LogIsWrong, LogUnreachable } from '../audit/verdicts.ts';
import type { Call, Command } from '../command.ts';
import { visible } from '../output.ts';
import { CheckFailed, messageOf, UsageError } from '../problems.ts';

const POLICY_MAX_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_S = 30;

interface LogAddress {
  url: string;
  key: VerifierKey;
  former: FormerKey[];
}

/** Parses text of the user, such as a key. A mistake in it is a usage error. */
function parsed<Given, T>(parse: (given: Given) => T, text: Given): T {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(error.message) : error;
  }
}

function policyIn(file: string): Policy {
  try {
    if (statSync(file).size > POLICY_MAX_BYTES) throw new UsageError(`${file} has more than ${POLICY_MAX_BYTES} bytes.`);
    return parsed(parsePolicy, readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`Couldn’t read ${file}: ${messageOf(error)}`);
  }
}

function proofIn(file: string): string {
  try {
    if (statSync(file).size > BUNDLE_BYTES_MAX) throw new UsageError(`${file} has more than ${BUNDLE_BYTES_MAX} bytes.`);
    return parsed((text) => decodeText(text, BUNDLE_BYTES_MAX), readFileSync(file));
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`Couldn’t read ${file}: ${messageOf(error)}`);
  }
}

export async function addressOf(service: URL, vkey: string | undefined, timeoutMs: number, signal: AbortSignal): Promise<LogAddress> {
  const base = service.href.replace(/\/+$/, '');
  if (vkey !== undefined) {
    const key = parsed(parseVkey, vkey);
    if (key.type !== KEY_TYPE.ed25519) throw new UsageError(`${key.name} is the key of a witness, not of a log.`);
    return { url: service.pathname === '/' ? `${base}/log` : base, key, former: [] };
  }
  const description = await new LogSource(base, timeoutMs, signal).find(DESCRIPTION, DESCRIPTION_MAX_BYTES);
  if (!description) throw new LogUnreachable(`${base} does not say which log it has. Name the log’s key: --vkey <key>`);
  try {
    const { log }: { log: { vkey: string; url: string; previous_keys?: FormerKey[] } } = JSON.parse(description.toString('utf8'));
    const url = new URL(log.url);
    // The service must not choose the addresses to which this machine sends requests.
    if (url.origin !== service.origin) throw new TypeError(`the log is elsewhere, at ${url.href}`);
    return { url: url.href, key: parseVkey(log.vkey), former: Array.isArray(log.previous_keys) ? log.previous_keys : [] };
  } catch (error) {
    throw new LogUnreachable(`${base}/${DESCRIPTION} is not usable: ${messageOf(error)}`);
  }
}

export function serviceUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new UsageError('The address must begin with https:// or http://.');
  return url;
}

function stateFile({ options, profiles }: Call, service: URL): AuditFile {
  const name = createHash('sha256').update(service.href).digest('hex').slice(0, 16);
  return new AuditFile(options.text('state') ?? path.join(path.dirname(profiles.file), 'logs', `${name}.json`));
}

async function runAudit(call: Call): Promise<AuditReport> {
  const { args, options, output, signal } = call;
  const service = serviceUrl(args[0] ?? '');
  const [policyFile, vkey] = [options.text('policy'), options.text('vkey')];
  const policy = policyFile === undefined ? undefined : policyIn(policyFile);
  const timeoutMs = (options.count('timeout') ?? DEFAULT_TIMEOUT_S) * 1000;
  const file = stateFile(call, service);
  const { url, key, former } = await addressOf(service, vkey, timeoutMs, signal);
  const pinned = file.read()?.vkey;
  const isKnown = vkey !== undefined || pinned === undefined || pinned === formatVkey(key) || (await isSuccessor(pinned, key, former));
  if (!isKnown)
    throw new LogIsWrong(
      `the service names another log or key than before, ${formatVkey(key)} in place of ${pinned}. If its operator has announced the change, name the key with --vkey, and for a new log another file with --state`,
    );
  const keys = await (vkey === undefined ? keysOf({ key, former }, policy, pinned) : withKeysNamedAt(service, [key], timeoutMs, signal));
  if (policy && policy.logs.length > 0 && !policy.logs.some((log) => hasKey(keys, log.key)))
    throw new UsageError(`The policy does not have the log ${formatVkey(key)}.`);
  const proofs = options.list('proof').map((name) => ({ name, text: proofIn(name) }));
  const authorities = [service.host, ...options.list('authority')];
  const source = new LogSource(url, timeoutMs, signal);
  return audit({ source, file, key, keys, policy, proofs, authorities, onProgress: output.progress(key.name) });
}

/** The keys that may have signed the checkpoint, the newest first: those that the policy, or the key of the last audit, leads to. */
async function keysOf(
  { key, former }: Omit<LogAddress, 'url'>,
  policy: Policy | undefined,
  pinned: string | undefined,
): Promise<VerifierKey[]> {
  const trusted = (policy?.logs ?? []).map((log) => log.key).filter(({ name }) => name === key.name);
  const known = trusted.length > 0 || pinned === undefined ? trusted : [parseVkey(pinned)];
  if (known.length === 0) return keysUpTo(key, former);
  const keys = await withNamedKeys(known, former);
  return hasKey(keys, key) ? keys : [key];
}

function hasKey(keys: readonly VerifierKey[], wanted: VerifierKey): boolean {
  return keys.some((key) => formatVkey(key) === formatVkey(wanted));
}

function lineOf({ origin, size, since, isBehind, messages, witnesses }: AuditReport): string {
  const parts = [
    `${size.toLocaleString('en')} ${size === 1 ? 'entry' : 'entries'}`,
    `consistent since ${since.slice(0, 16).replace('T', ' ')} UTC`,
    ...(isBehind ? ['an older checkpoint than was seen before'] : []),
    ...(messages > 0 ? [`${messages.toLocaleString('en')} ${messages === 1 ? 'message' : 'messages'} compared`] : []),
    ...(witnesses ? [`witnessed by ${witnesses.signed.length} of ${witnesses.total}`] : []),
    ...(witnesses && !witnesses.isQuorum ? ['which is no quorum of the policy'] : []),
  ];
  return `${visible(origin)}: ${parts.join(', ')}`;
}

export const log: Command[] = [
  {
    name: 'log audit',
    args: '<url>',
    help: 'Follows the log of a service: reads its new entries, recomputes the tree, and compares it with what was seen before. Exit code 1 if the log is wrong (both checkpoints are kept), 2 if it could not be read. Needs no key.',
    options: {
      vkey: { type: 'string', value: '<key>', help: 'The key of the log, if you have it from somebody else than the service' },
      policy: { type: 'string', value: '<file>', help: 'Witnesses that must have cosigned (c2sp.org/tlog-policy)' },
      state: { type: 'string', value: '<file>', help: 'Where to keep what was seen; by default a file beside your profiles' },
      proof: {
        type: 'string',
        value: '<path>',
        multiple: true,
        help: 'A proof of a message (.waybill-proof): it must be of this log, and show all that earlier ones have shown',
      },
      authority: {
        type: 'string',
        value: '<host>',
        multiple: true,
        help: 'With --proof: another name of the service, beside the host of its address and that in the name of its log',
      },
      timeout: { type: 'string', value: '<seconds>', help: `For each request; ${DEFAULT_TIMEOUT_S} by default` },
    },
    examples: [
      'waybill log audit https://waybill.example.com',
      'waybill log audit https://waybill.example.com --policy witnesses.txt --state /var/lib/audit/example.json',
    ],
    run: async (call) => {
      const { output } = call;
      try {
        const report = await runAudit(call);
        const ok = report.witnesses?.isQuorum ?? true;
        output.result({ ...report, ok }, () => output.paint(ok ? 'green' : 'red', lineOf(report)));
        if (!ok) throw new CheckFailed();
      } catch (error) {
        if (!(error instanceof LogIsWrong)) throw error;
        output.result({ ok: false, reason: error.message }, () =>
          output.paint('red', `${visible(call.args[0] ?? '')}: THE LOG IS WRONG: ${visible(error.message)}`),
        );
        throw new CheckFailed();
      }
    },
  },
];
