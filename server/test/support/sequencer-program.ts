import path from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { LogKeys } from '../../src/modules/log/log-keys.ts';
import { Sequencer } from '../../src/modules/log/sequencer.ts';
import { Tiles } from '../../src/modules/log/tiles.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';
import { connectionTo } from '../../src/platform/postgres/database-hosts.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { SecretBox } from '../../src/platform/secrets/secret-box.ts';
import { openShards } from '../../src/platform/shards/shards.ts';

/*
 * The sequencer of a worker, alone in a process, which does the waiting work and ends. With `--kill-at n` it kills itself with SIGKILL
 * before its n-th step: a statement, a commit or an access to the object store. With `--no-lock` it does not take the lock of the
 * sequencer.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    'kill-at': { type: 'string', default: '0' },
    'no-lock': { type: 'boolean', default: false },
    'clock-ms': { type: 'string', default: '0' },
    rounds: { type: 'string', default: '1' },
  },
});
const killAt = Number(values['kill-at']);
let steps = 0;

const clockMs = Number(values['clock-ms']);
const realNow = Date.now;
Date.now = () => realNow() + clockMs;

function step(): void {
  steps++;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
}

/** Counts each call of these methods as a step, and its end as another. */
function counted<T extends object>(target: T, methods: readonly string[], replaced: Partial<T> = {}): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!methods.includes(String(name))) return value.bind(target);
      return async (...args: unknown[]) => {
        step();
        const result = await value.apply(target, args);
        step();
        return result;
      };
    },
  });
}

const log = pino({ level: 'error' }, pino.destination({ fd: 2, sync: true }));
const connection = await connectionTo(values.database);
const real = new Database(connection, log);
const unfollow = await openShards(real, connection, log);
unfollow();
const database: Database = counted(real, ['query', 'transaction'], {
  shards: real.shards.map((shard) => counted(shard, ['query'])),
  acrossShards: async (work) => {
    const result = await real.acrossShards(async (of) => work((id) => counted(of(id), ['query'])));
    step();
    return result;
  },
  ...(values['no-lock'] && { ifAlone: (_name: string, work: () => Promise<never>) => work() }),
});
const store = new FolderStore(path.join(values.folder, 'files'), new UrlSigner(Buffer.alloc(32)), '', (_name, work) => work());
const objects = counted(store.named, ['put', 'get', 'readHead', 'replaceHead']);
const tiles = new Tiles(database, objects);
const sequencer = new Sequencer(
  { database, objects, tiles, keys: new LogKeys(new SecretBox(undefined, []), { operators: undefined, allowsPlaintext: true }) },
  log,
);
for (let round = 0; round < Number(values.rounds); round++) await sequencer.catchUp();
await real.close();
console.log(steps);
