import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { formatVkey, KEY_TYPE, noteSigner, verifierKey } from '@waybill/proof';
import { CertifiedKey, type LogPromise } from '../server/src/modules/promises/certified-key.ts';
import { median } from './processes.ts';

/** Measures the processor time of a promise, by the number of messages that share a signature: all that a send pays for it but its bytes on the way. */
const SIZES = [1, 3, 10, 30, 100, 256];
const ROUNDS = 9;
const ROUND_MS = 300;
const ORIGIN = 'waybill.example.com/log';

export async function measurePromises(): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const signer = noteSigner(ORIGIN, raw, (bytes) => sign(null, bytes, privateKey));
  const key = await CertifiedKey.create(
    { number: 1, origin: ORIGIN, vkey: formatVkey(verifierKey(ORIGIN, KEY_TYPE.ed25519, raw)) },
    [signer],
    new Date(),
  );
  const batches = SIZES.map((size) =>
    Array.from({ length: size }, (_, i) => ({ contentHash: randomBytes(32), position: 7_226_142_720_000_000n + BigInt(i) })),
  );
  const taken = SIZES.map((): number[] => []);
  let last: LogPromise | undefined;
  // In turns, because the machine may be faster at one time than at another. The first round is not counted.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [at, batch] of batches.entries()) {
      const before = process.cpuUsage();
      const begun = performance.now();
      let messages = 0;
      while (performance.now() - begun < ROUND_MS) {
        [last] = key.promise(batch, new Date());
        messages += batch.length;
      }
      const { user, system } = process.cpuUsage(before);
      if (round > 0) taken[at]?.push((user + system) / messages);
    }
  console.table(SIZES.map((size, at) => ({ messages: size, 'µs a message': Number(median(taken[at] ?? []).toFixed(2)) })));
  console.log(
    `A promise in a batch of ${SIZES.at(-1)}: ${last?.json.length} characters in the body, ${last?.header.length} in the header.`,
  );
}
