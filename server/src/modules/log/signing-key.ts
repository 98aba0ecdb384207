import { spawn } from 'node:child_process';
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { LOG_KEY_COMMAND_PATIENCE_MS } from '../../contract/log-limits.ts';
import { isEd25519Key, privateKeyOf } from '../../platform/secrets/ed25519.ts';

const SIGNATURE_BYTES = 64;
const OUTPUT_MAX_BYTES = 1_024;

export interface SigningKey {
  publicKey: Buffer;
  sign(bytes: Uint8Array): Promise<Buffer>;
}

export function keyFromFile(contents: Buffer): SigningKey | undefined {
  return isEd25519Key(contents) ? keyFrom(privateKeyOf(contents)) : undefined;
}

export function keyFrom(key: KeyObject): SigningKey {
  return { publicKey: rawPublicKey(createPublicKey(key)), sign: async (bytes) => sign(null, bytes, key) };
}

/** The program reads the bytes to sign, and writes the signature raw or in base64. */
export function keyFromCommand(program: string, publicKey: Buffer): SigningKey {
  const verifier = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
  return {
    publicKey,
    sign: async (bytes) => {
      const output = await outputOf(program, bytes);
      const signature = output.length === SIGNATURE_BYTES ? output : Buffer.from(output.toString('latin1').trim(), 'base64');
      if (signature.length !== SIGNATURE_BYTES || !verify(null, bytes, verifier, signature))
        throw new Error(`the program of LOG_KEY_COMMAND has not written a signature of the key in LOG_PUBLIC_KEY`);
      return signature;
    },
  };
}

function outputOf(program: string, input: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'ignore'], timeout: LOG_KEY_COMMAND_PATIENCE_MS, killSignal: 'SIGKILL' });
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > OUTPUT_MAX_BYTES) child.kill('SIGKILL');
      else parts.push(part);
    });
    child.once('error', (error) => reject(new Error(`the program of LOG_KEY_COMMAND can't be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0 && bytes <= OUTPUT_MAX_BYTES) resolve(Buffer.concat(parts));
      else reject(new Error(`the program of LOG_KEY_COMMAND has ended with ${signal ?? code}`));
    });
    // A program that does not read its input closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}
