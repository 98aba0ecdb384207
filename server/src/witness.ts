import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatVkey, KEY_TYPE, parseVkey, type VerifierKey } from '@waybill/proof';
import { pino } from 'pino';
import { WAYBILL } from './command-names.ts';
import { codeOf, messageOf } from './contract/thrown.ts';
import { WITNESS_LOGS_MAX } from './contract/witness-limits.ts';
import { CosignedCheckpoints } from './modules/witness/cosigned-checkpoints.ts';
import { Witness } from './modules/witness/witness.ts';
import { createWitnessKey, readWitnessKey, type WitnessKey } from './modules/witness/witness-key.ts';
import { type Listening, serveWitness } from './modules/witness/witness-server.ts';
import { type DataFolderLock, isLock, lockDataFolder } from './platform/processes/data-folder.ts';

const USAGE = `Usage: ${WAYBILL} witness --name <name> --log <vkey>… [options]
       ${WAYBILL} witness key [--data-dir <folder>]

Cosigns checkpoints of logs that never change their history (c2sp.org/tlog-witness). "witness key" prints the key for policies.

  --data-dir <folder>    Keeps the key and the newest checkpoint of each log. Default: witness
  --listen <host:port>   Default: 127.0.0.1:8081
  --name <name>          Needed at the first start, such as witness.example.com/w1; it is a part of the key
  --log <vkey>           The key of a log; any number of times
  --logs <file>          Keys of logs, one a line
  --proxy <address>      The address of a proxy that sets X-Forwarded-For; any number of times`;

const FILE_MAX_BYTES = 1024 * 1024;

class UsageError extends Error {}

function readArguments() {
  const args = process.argv.slice(2);
  const { values, positionals } = parseArgs({
    // In `waybill witness`, the word is part of the command.
    args: args[0] === 'witness' ? args.slice(1) : args,
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string', default: 'witness' },
      listen: { type: 'string', default: '127.0.0.1:8081' },
      name: { type: 'string' },
      log: { type: 'string', multiple: true, default: [] },
      logs: { type: 'string' },
      proxy: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (positionals.length > 1 || (positionals[0] !== undefined && positionals[0] !== 'key')) throw new UsageError(USAGE);
  return { ...values, folder: path.resolve(values['data-dir']), showsKey: positionals[0] === 'key' };
}

function logsIn({ log, logs }: { log: string[]; logs?: string | undefined }): VerifierKey[] {
  if (logs !== undefined && statSync(logs).size > FILE_MAX_BYTES) throw new UsageError(`${logs} has more than ${FILE_MAX_BYTES} bytes.`);
  const lines =
    logs === undefined
      ? []
      : readFileSync(logs, 'utf8')
          .split('\n')
          .map((line) => line.trim());
  const vkeys = [...log, ...lines.filter((line) => line !== '' && !line.startsWith('#'))];
  if (vkeys.length === 0) throw new UsageError('Name the logs to witness: --log <vkey> or --logs <file>.');
  if (vkeys.length > WITNESS_LOGS_MAX) throw new UsageError(`A witness knows at most ${WITNESS_LOGS_MAX} logs.`);
  return vkeys.map((vkey) => {
    const key = parseVkey(vkey);
    if (key.type !== KEY_TYPE.ed25519) throw new UsageError(`${key.name} is the key of a witness, not of a log.`);
    return key;
  });
}

function listeningOf(listen: string, proxies: string[]): Listening {
  const [, ipv6, name, port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(listen) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new UsageError(`--listen must be a host and a port, but is "${listen}".`);
  if (!proxies.every((proxy) => isIP(proxy) !== 0)) throw new UsageError('--proxy must be an IP address.');
  return { host: ipv6 ?? name ?? '', port: Number(port), proxies };
}

/** The key of the folder, and the checkpoints that the witness has cosigned. A folder with only one of the two is damaged. */
async function openFolder(folder: string, name: string | undefined): Promise<{ key: WitnessKey; cosigned: CosignedCheckpoints }> {
  const key = readWitnessKey(folder);
  if (key) {
    if (name !== undefined && name !== key.verifier.name)
      throw new UsageError(`The witness in ${folder} has the name ${key.verifier.name}. Another name needs a folder of its own.`);
    if (!existsSync(CosignedCheckpoints.folderIn(folder)))
      throw new Error(
        `${folder} has a key, but not what was cosigned with it. Restore the folder, or start a new witness in an empty one.`,
      );
    return { key, cosigned: await CosignedCheckpoints.open(folder, key.verifier) };
  }
  if (name === undefined) throw new UsageError(`${folder} has no witness yet. Give it a name: --name witness.example.com/w1`);
  // The key is written last: after a crash in between, the next start continues in the folder.
  const cosigned = await CosignedCheckpoints.create(folder);
  return { key: await createWitnessKey(folder, name), cosigned };
}

async function takeFolder(folder: string): Promise<DataFolderLock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await lockDataFolder(folder, 'service');
  if (isLock(lock)) return lock;
  throw new Error(`Process ${lock.pid} already uses the folder ${folder}: stop it first, or set --data-dir to another folder.`);
}

async function main(): Promise<void> {
  const options = readArguments();
  if (options.help) return console.log(USAGE);
  if (options.showsKey) {
    const key = readWitnessKey(options.folder);
    if (!key) throw new UsageError(`${options.folder} has no witness.`);
    return console.log(formatVkey(key.verifier));
  }
  const [logs, listening] = [logsIn(options), listeningOf(options.listen, options.proxy)];
  const lock = await takeFolder(options.folder);
  const log = pino();
  const { key, cosigned } = await openFolder(options.folder, options.name);
  const server = await serveWitness(new Witness(logs, cosigned, key.signer, log), listening, log);
  const host = listening.host.includes(':') ? `[${listening.host}]` : listening.host;
  console.log(
    `The witness ${key.verifier.name} listens at http://${host}:${server.port} for ${logs.length === 1 ? '1 log' : `${logs.length} logs`}.`,
  );
  console.log(`Its key: ${formatVkey(key.verifier)}`);
  const stop = async () => {
    await server.stop();
    await lock.release();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
}

main().catch((error: unknown) => {
  console.error(codeOf(error)?.startsWith('ERR_PARSE_ARGS') ? `${messageOf(error)}\n${USAGE}` : messageOf(error));
  process.exit(error instanceof UsageError || codeOf(error)?.startsWith('ERR_PARSE_ARGS') ? 2 : 1);
});
