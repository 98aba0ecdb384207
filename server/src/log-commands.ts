import { readFileSync } from 'node:fs';
import { type Command, type Tools, UsageError } from './command.ts';
import type { Config } from './config.ts';
import { logKeysOf, operatorsKeyOf, secretBoxOf } from './context.ts';
import { LOG_REASON_MAX_CHARS } from './contract/log-limits.ts';
import { Witnesses, type WitnessView } from './modules/attestations/witnesses.ts';
import type { LogKeys } from './modules/log/log-keys.ts';
import { logStatus } from './modules/log/log-status.ts';
import { startNewLog } from './modules/log/new-log.ts';
import { addOlderMessages } from './modules/log/older-messages.ts';
import { keyFromFile, type SigningKey } from './modules/log/signing-key.ts';

export const LOG_COMMANDS: Record<string, Command> = {
  'log status': {
    usage: 'log status [--json]',
    help: 'Shows the size of the log, its newest checkpoint, what is waiting, its witnesses, and why nothing is signed, if so.',
    arguments: 0,
    run: async ({ config, database }) => {
      const status = await logStatus(database);
      const witnesses = config.witnesses ? await new Witnesses(config.witnesses, database).list() : [];
      if (!status) throw new UsageError('There is no log yet: start the service once.');
      const { origin, sequenced, checkpointSize, checkpointAgeSeconds, waitingBatches, waitingSeconds, timestampEndsAt, fault } = status;
      const age =
        checkpointAgeSeconds === null
          ? 'none yet'
          : `${checkpointSize.toLocaleString('en')} leaves, ${checkpointAgeSeconds.toFixed(0)} s old`;
      const lines = [
        `Origin             ${origin}`,
        `Newest checkpoint  ${age}`,
        `Waiting            ${waitingBatches} batches, ${(sequenced - checkpointSize).toLocaleString('en')} leaves with a place`,
        ...witnesses.map((one) => `Witness            ${describeWitness(one)}`),
        ...(timestampEndsAt ? [`Timestamps         the newest ends at ${timestampEndsAt.toISOString()}`] : []),
        `State              ${fault === null ? 'in order' : `nothing is signed. ${fault}.`}`,
      ];
      return {
        json: {
          origin,
          sequenced,
          checkpoint_size: checkpointSize,
          checkpoint_age_s: checkpointAgeSeconds,
          waiting_batches: waitingBatches,
          waiting_s: waitingSeconds,
          timestamp_ends_at: timestampEndsAt?.toISOString() ?? null,
          witnesses: witnesses.map(({ name, size, failure }) => ({ name, size, failure })),
          fault,
        },
        text: lines.join('\n'),
      };
    },
  },
  'log new': {
    usage: 'log new [--reason <text>] [--json]',
    help: 'Ends a log that can’t be signed any more, such as after an old backup was restored, and starts one with a new origin.',
    arguments: 0,
    run: async (tools, _args, { reason }) => {
      if (reason !== undefined && reason.length > LOG_REASON_MAX_CHARS)
        throw new UsageError(`--reason has more than ${LOG_REASON_MAX_CHARS} characters.`);
      const { origin } = await startNewLog(tools.database, await keysFor(tools), reason);
      return { json: { origin }, text: `Started the log ${origin}. Tell those who verify: its key is in /.well-known/waybill.json.` };
    },
  },
  'log rotate-key': {
    usage: 'log rotate-key [--key <file with an Ed25519 key> | --from-settings] [--json]',
    help: 'Has another key sign the log: a new one; that of the file, which LOG_KEY_FILE must name from then on; or that of the settings LOG_KEY_FILE or LOG_KEY_COMMAND.',
    arguments: 0,
    run: async (tools, _args, { key, 'from-settings': fromSettings = false }) => {
      if (key !== undefined && fromSettings) throw new UsageError('Give --key or --from-settings, not both.');
      const given = fromSettings ? keyOfSettings(tools.config) : key === undefined ? undefined : signingKeyIn(key);
      const { oldKey, newKey } = await (await keysFor(tools)).rotate(tools.database, given);
      return { json: { old_key: oldKey, new_key: newKey }, text: `The key ${newKey} has taken the place of ${oldKey}.` };
    },
  },
  'log add-older': {
    usage: 'log add-older [--json]',
    help: 'Gives messages that are older than the log a place in it, while the service runs. It can be interrupted and run again.',
    arguments: 0,
    run: async ({ database }) => {
      const added = await addOlderMessages(database, (count) => console.error(`${count.toLocaleString('en')} messages`));
      return { json: { added }, text: `Added ${added.toLocaleString('en')} messages to the log.` };
    },
  },
};

function describeWitness({ name, size, cosignedAt, failure }: WitnessView): string {
  const newest =
    size === null ? 'has cosigned nothing yet' : `has cosigned ${size.toLocaleString('en')} leaves, at ${cosignedAt?.toISOString()}`;
  return `${name} ${newest}${failure === null ? '' : `; since then: ${failure}`}`;
}

async function keysFor({ config, database }: Tools): Promise<LogKeys> {
  return logKeysOf(config, await secretBoxOf(config, database));
}

function keyOfSettings(config: Config): SigningKey {
  const key = operatorsKeyOf(config);
  if (!key) throw new UsageError('Set LOG_KEY_FILE, or LOG_KEY_COMMAND and LOG_PUBLIC_KEY, to the key that shall sign the log.');
  return key;
}

function signingKeyIn(file: string): SigningKey {
  let contents: Buffer;
  try {
    contents = readFileSync(file);
  } catch {
    throw new UsageError(`${file} can’t be read.`);
  }
  const key = keyFromFile(contents);
  if (!key) throw new UsageError(`${file} has no Ed25519 private key, as openssl genpkey -algorithm ed25519 writes it.`);
  return key;
}
