import { type Bytes, concat, utf8 } from './bytes.ts';
import { SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { KEY_TYPE, type Signer, type Verifier, type VerifierKey, verifierKey } from './note.ts';

const TIME_BYTES = 8;
/** The end of the year 9999: calendars of programs have no later day. */
const TIME_MAX_S = 253_402_300_799n;

/** The message that a witness signs (c2sp.org/tlog-cosignature, Ed25519): the time and the whole body of the checkpoint. */
export function cosignedMessage(body: string, time: number): Bytes {
  return utf8(`cosignature/v1\ntime ${time}\n${body}`);
}

/** The signer of a witness. `now` returns Unix seconds. */
export function cosigner(
  name: string,
  publicKey: Uint8Array,
  sign: (bytes: Bytes) => Promise<Uint8Array> | Uint8Array,
  now: () => number = () => Math.floor(Date.now() / 1_000),
): Signer {
  const { keyId } = verifierKey(name, KEY_TYPE.cosignature, publicKey);
  return {
    name,
    keyId,
    async sign(body) {
      const time = now();
      if (!Number.isSafeInteger(time) || time < 0) throw new ProofError('The time of a cosignature is not in Unix seconds.');
      const timeBytes = new Uint8Array(TIME_BYTES);
      new DataView(timeBytes.buffer).setBigUint64(0, BigInt(time));
      return concat(timeBytes, await sign(cosignedMessage(body, time)));
    },
  };
}

export function cosignatureVerifier(key: VerifierKey): Verifier {
  if (key.type !== KEY_TYPE.cosignature) throw new ProofError(`The key of ${key.name} is not that of a witness.`);
  return {
    key,
    async verify(body, signature) {
      if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
      const stated = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
      if (stated > TIME_MAX_S) return undefined;
      const time = Number(stated);
      return (await verifyEd25519(key.publicKey, cosignedMessage(body, time), signature.slice(TIME_BYTES))) ? { time } : undefined;
    },
  };
}
