import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TAG, timeOf } from '../src/der.ts';
import { ProofError, parseCertificate, verifyTimestamp } from '../src/index.ts';
import { Authority, type AuthoritySettings } from './support/authority.ts';
import { VECTORS } from './support/vectors.ts';

const BYTES = new TextEncoder().encode('waybill.example.com/log\n40\n…\n');
const authorities: Authority[] = [];
function authority(settings?: AuthoritySettings): Authority {
  const made = new Authority(settings);
  authorities.push(made);
  return made;
}
afterAll(() => {
  for (const one of authorities) one.close();
});

/** These tests need OpenSSL, which plays the authority. */
function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    return false;
  }
}

const [rsa, p256, p384] = [undefined, 'P-256', 'P-384'].map((curve) =>
  curve ? ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${curve}`] : ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
);

if (!hasOpenssl()) console.warn('Timestamps were not tried: there is no OpenSSL 3.');

test('a time in DER that is as long as a list of revoked certificates is refused', () => {
  const content = new Uint8Array(262_000).fill(0x30);
  expect(() => timeOf({ tag: TAG.generalizedTime, whole: content, content }, 'A time')).toThrow(ProofError);
});

describe.runIf(hasOpenssl())('timestamps of OpenSSL', () => {
  test.each([
    ['RSA with SHA-256', { key: rsa ?? [] }],
    ['RSA with SHA-512', { key: rsa ?? [], digest: 'sha512' }],
    // OpenSSL can't timestamp with a key for PSS, but the certificate can be signed with one.
    ['a root that signs with RSA-PSS', { key: rsa ?? [], isRootPss: true, hasChain: true }],
    ['P-256 with SHA-256', { key: p256 ?? [] }],
    ['P-384 with SHA-384', { key: p384 ?? [], digest: 'sha384' }],
    ['the root in the token', { key: p256 ?? [], hasChain: true }],
  ])('verify with %s', async (_name, settings) => {
    const tsa = authority(settings);
    const token = tsa.stamp(BYTES);
    const expected = { authority: 'Test timestamps', time: expect.any(Date) };
    expect(await verifyTimestamp(token, BYTES)).toMatchObject({ ...expected, isTrusted: false });
    expect(await verifyTimestamp(token, BYTES, [parseCertificate(tsa.root)])).toMatchObject({ ...expected, isTrusted: true });
    expect(await verifyTimestamp(token, BYTES, [parseCertificate(tsa.signer)])).toMatchObject({ isTrusted: true });
    expect(
      await verifyTimestamp(token, BYTES, [parseCertificate(authority().root)]).then(
        ({ isTrusted }) => isTrusted,
        () => 'refused',
      ),
    ).not.toBe(true);
    await expect(verifyTimestamp(token, new TextEncoder().encode('something else'))).rejects.toThrow('of something else');
  });

  test.each([
    ['for timestamps', 'critical,timeStamping', true],
    ['for timestamps, but not critically so', 'timeStamping', false],
    ['for servers', 'critical,serverAuth', false],
    ['for two things', 'critical,timeStamping,serverAuth', false],
  ])('know a certificate that is %s', (_name, purpose, isFine) => {
    expect(parseCertificate(authority({ purpose }).signer).isForTimestamps).toBe(isFine);
  });

  test('are verified by OpenSSL, too, with the commands of docs/proof.md', () => {
    const text = readFileSync(path.join(VECTORS, '../../proof.md'), 'utf8');
    const commands =
      [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block).find((block) => block.includes('openssl ts')) ?? '';
    const folder = mkdtempSync(path.join(tmpdir(), 'waybill-openssl-'));
    for (const name of ['good-everything.waybill-proof', 'tsa-root.pem']) copyFileSync(path.join(VECTORS, name), path.join(folder, name));
    // Without jq, Node reads the JSON.
    const jq = `jq() { node -p "let [one] = JSON.parse(require('fs').readFileSync('$3')).timestamps; one['\${2##*.}']"; }\n`;
    const output = execFileSync('bash', ['-ec', jq + commands], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    rmSync(folder, { recursive: true });
    expect(output).toContain('Verification: OK');
  });

  test('are refused with any flipped bit, of the certificates, too', async () => {
    const tsa = authority({ key: p256 ?? [], hasChain: true });
    const token = tsa.stamp(BYTES, '-no_nonce');
    const trusted = [parseCertificate(tsa.root)];
    expect((await verifyTimestamp(token, BYTES, trusted)).isTrusted).toBe(true);
    const accepted: number[] = [];
    for (let bit = 0; bit < token.length * 8; bit++) {
      const flipped = token.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        await verifyTimestamp(flipped, BYTES, trusted);
        accepted.push(bit);
      } catch (error) {
        expect(error).toBeInstanceOf(ProofError);
      }
    }
    expect(accepted).toEqual([]);
  });
});
