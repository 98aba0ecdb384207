import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cosigner, KEY_TYPE, type Signer, type VerifierKey, verifierKey } from '@waybill/proof';
import { codeOf } from '../../contract/thrown.ts';
import { writeDurably } from '../../platform/objects/durable-file.ts';

/** The file has the name and the private key, on one line each. */
const FILE = 'witness.key';

export interface WitnessKey {
  verifier: VerifierKey;
  signer: Signer;
}

/** Returns undefined if the folder has no key. The name is part of the key: another name would be another witness. */
export function readWitnessKey(folder: string): WitnessKey | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(folder, FILE), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [name = '', pkcs8 = ''] = text.split('\n');
  try {
    return keyOf(name, createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' }));
  } catch {
    throw new Error(`${path.join(folder, FILE)} is not the key of a witness. Restore the file from a backup.`);
  }
}

export async function createWitnessKey(folder: string, name: string): Promise<WitnessKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // Refuses an invalid name before anything is written.
  const key = keyOf(name, privateKey);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  await writeDurably(path.join(folder, FILE), `${name}\n${pkcs8}\n`, 0o600);
  return key;
}

function keyOf(name: string, privateKey: KeyObject): WitnessKey {
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return {
    verifier: verifierKey(name, KEY_TYPE.cosignature, publicKey),
    signer: cosigner(name, publicKey, (bytes) => sign(null, bytes, privateKey)),
  };
}
