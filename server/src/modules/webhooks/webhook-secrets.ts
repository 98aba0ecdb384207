import type { Database } from '../../platform/postgres/postgres.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { StoredSecrets } from './attempt-store.ts';
import * as store from './secret-store.ts';

type Headers = Record<string, string>;

/** Encrypts and decrypts the secrets and the header values of webhooks. A stored value belongs to one webhook. */
export class WebhookSecrets {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  seal(webhookId: string, secret: string): string {
    return this.#box.seal(secret, webhookId);
  }

  sealHeaders(webhookId: string, headers: Headers | null): Headers | null {
    return headers && mapValues(headers, (value, name) => this.#box.seal(value, `${webhookId} ${name}`));
  }

  open(webhookId: string, { secret, previousSecret, headers }: StoredSecrets): { secrets: string[]; headers: Headers | undefined } {
    const stored = previousSecret === null ? [secret] : [secret, previousSecret];
    return {
      secrets: stored.map((one) => this.#box.open(one, webhookId)),
      headers: headers === null ? undefined : mapValues(headers, (value, name) => this.#box.open(value, `${webhookId} ${name}`)),
    };
  }

  /** Encrypts the values with the current key. Returns undefined if all of them already are. */
  renew(webhookId: string, stored: StoredSecrets): StoredSecrets | undefined {
    const { secret, previousSecret, headers } = stored;
    const values = [secret, previousSecret, ...Object.values(headers ?? {})].filter((value) => value !== null);
    if (values.every((value) => this.#box.isCurrent(value))) return undefined;
    const again = (value: string, place: string) => this.#box.seal(this.#box.open(value, place), place);
    return {
      secret: again(secret, webhookId),
      previousSecret: previousSecret && again(previousSecret, webhookId),
      headers: headers && mapValues(headers, (value, name) => again(value, `${webhookId} ${name}`)),
    };
  }

  /** A service that can't read its secrets must not start: it would fail every delivery. */
  async requireKeys(database: Database): Promise<void> {
    for (const shard of database.shards)
      for (const keyId of await store.keyIdsInUse(shard))
        if (!this.#box.knows(keyId))
          throw new Error(
            `Secrets of webhooks are encrypted with the key ${keyId}: add it to SECRETS_OLD_KEYS, or put the file secrets.key of the former data folder into the data folder.`,
          );
  }
}

function mapValues(headers: Headers, change: (value: string, name: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value, name)]));
}
