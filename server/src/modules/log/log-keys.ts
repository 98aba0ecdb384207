import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { formatVkey, KEY_TYPE, noteSigner, type Signer, signNote, type VerifierKey, verifierKey } from '@waybill/proof';
import { LOG_OLD_KEY_SIGNS_DAYS } from '../../contract/log-limits.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { isSealed, type SecretBox } from '../../platform/secrets/secret-box.ts';
import { logLeaves } from './batch-store.ts';
import { LogFault } from './log-fault.ts';
import * as store from './log-store.ts';
import { keyFrom, type SigningKey } from './signing-key.ts';
import { auditLeaf, successionStatement } from './statements.ts';

const DAY_MS = 24 * 3_600_000;

type NamedLog = Pick<store.LogRecord, 'number' | 'origin'>;
type NewKey = Pick<store.StoredKey, 'publicKey' | 'secret'>;

interface Custody {
  /** The key that the settings name. */
  operators: SigningKey | undefined;
  allowsPlaintext: boolean;
}

const WAYS_OUT = 'LOG_KEY_PLAINTEXT=allow starts the service all the same: anybody who reads the database can then forge the log';

/** The key pairs of logs: made by the service and encrypted in the database, or kept by the operator. */
export class LogKeys {
  readonly #box: SecretBox;
  readonly #operators: SigningKey | undefined;
  readonly #allowsPlaintext: boolean;

  constructor(box: SecretBox, { operators, allowsPlaintext }: Custody) {
    this.#box = box;
    this.#operators = operators;
    this.#allowsPlaintext = allowsPlaintext;
  }

  firstOf(log: number): NewKey {
    return this.#operators ? { publicKey: this.#operators.publicKey, secret: null } : this.#create(log);
  }

  /** The newest key signs checkpoints of the log. For a while, the key before it signs them too. */
  async signersOf(db: Queryable, { number, origin }: NamedLog): Promise<Signer[]> {
    const [newest, before] = await store.keysOf(db, number);
    if (!newest) throw new LogFault(`The log ${origin} has no key`);
    const key = this.#open(number, newest);
    if (!key)
      throw new LogFault(
        `The key of ${origin} (${formatVkey(verifierKey(origin, KEY_TYPE.ed25519, newest.publicKey))}) is not set: set LOG_KEY_FILE or LOG_KEY_COMMAND to it`,
      );
    const signsAlong = before && Date.now() - newest.createdAt.getTime() < LOG_OLD_KEY_SIGNS_DAYS * DAY_MS;
    const formerKey = signsAlong ? this.#open(number, before) : undefined;
    return [key, ...(formerKey ? [formerKey] : [])].map((one) => noteSigner(origin, one.publicKey, (bytes) => one.sign(bytes)));
  }

  async verifiersOf(db: Queryable, log: NamedLog): Promise<VerifierKey[]> {
    return (await this.historyOf(db, log)).map(({ key }) => key);
  }

  async historyOf(db: Queryable, { number, origin }: NamedLog): Promise<{ key: VerifierKey; succession: string | null }[]> {
    const keys = await store.keysOf(db, number);
    return keys.map(({ publicKey }, i) => ({
      key: verifierKey(origin, KEY_TYPE.ed25519, publicKey),
      succession: keys[i - 1]?.succession ?? null,
    }));
  }

  /**
   * Makes another key sign the log from now on. The present key signs a statement of that, which has a leaf in the log. Returns the
   * verifier keys of both.
   */
  async rotate(database: Database, given: SigningKey | undefined): Promise<{ oldKey: string; newKey: string }> {
    return database.acrossShards(async (of) => {
      const tx = of(0n);
      const log = await store.currentLog(tx);
      if (!log) throw new Error('There is no log yet: start the service once.');
      await store.lockLog(tx, log.number);
      const [signer] = await this.signersOf(tx, log);
      const [present] = await this.verifiersOf(tx, log);
      if (!signer || !present) throw new Error('The log has no key.');
      const added: NewKey = given ? { publicKey: given.publicKey, secret: null } : this.#create(log.number);
      const oldKey = formatVkey(present);
      const newKey = formatVkey(verifierKey(log.origin, KEY_TYPE.ed25519, added.publicKey));
      if (newKey === oldKey) throw new Error('The log has this key already.');
      const statement = successionStatement({ log: log.origin, oldKey, newKey, at: await store.databaseTime(tx) });
      await store.addKey(tx, log.number, { ...added, succession: await signNote(`${statement}\n`, [signer]) });
      await logLeaves(tx, auditLeaf(statement));
      return { oldKey, newKey };
    });
  }

  /** Encrypts secrets again that were not encrypted with the current key of the settings. */
  async renew(db: Queryable): Promise<void> {
    await this.#sealAgain(db, (secret) => !this.#box.isCurrent(secret));
  }

  /**
   * Called before the service signs anything: encrypts keys that are in the database in clear text. Without a key to encrypt them, the service
   * must not start, unless the operator allows it. Returns whether a key is, or will be, there in clear text.
   */
  async protect(db: Queryable): Promise<boolean> {
    if (this.#box.encrypts) {
      await this.#sealAgain(db, (secret) => !isSealed(secret));
      return false;
    }
    const logs = await store.allLogs(db);
    const stored = (await Promise.all(logs.map(({ number }) => store.keysOf(db, number)))).flat();
    const isStored = stored.some(({ secret }) => secret !== null && !isSealed(secret));
    const isDue = logs.length === 0 && this.#operators === undefined;
    if (isStored && !this.#allowsPlaintext)
      throw new Error(
        `The key of the log is in the database in clear text: set SECRETS_KEY (openssl rand -base64 32) in all processes, and the start encrypts it. ${WAYS_OUT}.`,
      );
    if (isDue && !this.#allowsPlaintext) refusePlaintext();
    return isStored || isDue;
  }

  async requireKeys(db: Queryable): Promise<void> {
    for (const keyId of await store.keyIdsInUse(db))
      if (!this.#box.knows(keyId))
        throw new Error(
          `The key of the log is encrypted with the key ${keyId}: add it to SECRETS_OLD_KEYS, or put the file secrets.key of the former data folder into the data folder.`,
        );
  }

  async #sealAgain(db: Queryable, isDue: (secret: string) => boolean): Promise<void> {
    for (const { number: log } of await store.allLogs(db))
      for (const { number, secret } of await store.keysOf(db, log))
        if (secret !== null && isDue(secret))
          await store.renewSecret(db, log, number, {
            from: secret,
            to: this.#box.seal(this.#box.open(secret, placeOf(log)), placeOf(log)),
          });
  }

  #create(log: number): NewKey {
    if (!this.#box.encrypts && !this.#allowsPlaintext) refusePlaintext();
    const { privateKey } = generateKeyPairSync('ed25519');
    const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    return { publicKey: keyFrom(privateKey).publicKey, secret: this.#box.seal(secret, placeOf(log)) };
  }

  /** Returns undefined for a key of the operator that the settings do not name. */
  #open(log: number, { publicKey, secret }: store.StoredKey): SigningKey | undefined {
    if (secret === null) return this.#operators?.publicKey.equals(publicKey) ? this.#operators : undefined;
    const der = Buffer.from(this.#box.open(secret, placeOf(log)), 'base64');
    return keyFrom(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  }
}

function refusePlaintext(): never {
  throw new Error(
    `The key of the log would be in the database in clear text: set SECRETS_KEY (openssl rand -base64 32) in all processes, or keep the key elsewhere with LOG_KEY_FILE or LOG_KEY_COMMAND. ${WAYS_OUT}.`,
  );
}

/** An encrypted key is useless for another log. */
function placeOf(log: number): string {
  return `log ${log}`;
}
