import { describe, expect, test } from 'vitest';
import {
  type Components,
  checkCoverage,
  contentDigest,
  isDigestOf,
  isSignatureGenuine,
  newSigningKeyPair,
  parseParameters,
  parseSignature,
  SignatureFault,
  signatureBase,
  signRequest,
} from '../src/http-signature.ts';
import { filesHash } from '../src/signed-recipient.ts';

/** The key and the example of RFC 9421, appendix B.1.4 and B.2.6. */
const RFC = {
  privateKey: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----',
  publicKey: Buffer.from('JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=', 'base64'),
  input: 'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  values: {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    '@method': 'POST',
    '@path': '/foo',
    '@authority': 'example.com',
    'content-type': 'application/json',
    'content-length': '18',
  },
};
const BASE = `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`;

const REQUEST = { method: 'POST', path: '/v1/messages', body: '{"to":"globex"}', idempotencyKey: 'order-17', createdS: 1_800_000_000 };
const fault = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof SignatureFault) return error.message;
    throw error;
  }
  return undefined;
};

describe('the example of RFC 9421', () => {
  test('has this signature base, and its signature is genuine', async () => {
    const { parameters, signature } = parseSignature(RFC.input, RFC.signature);
    expect(signatureBase(parameters, RFC.values)).toBe(BASE);
    expect(await isSignatureGenuine(RFC.publicKey, parameters, RFC.values, signature)).toBe(true);
  });

  test('is not genuine with any other value, key or bit of the signature', async () => {
    const { parameters, signature } = parseSignature(RFC.input, RFC.signature);
    for (const name of Object.keys(RFC.values) as (keyof typeof RFC.values)[]) {
      const other: Components = { ...RFC.values, [name]: `${RFC.values[name]}0` };
      expect(await isSignatureGenuine(RFC.publicKey, parameters, other, signature), name).toBe(false);
    }
    for (let bit = 0; bit < 8 * signature.length; bit++) {
      const flipped = Uint8Array.from(signature);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await isSignatureGenuine(RFC.publicKey, parameters, RFC.values, flipped), `bit ${bit}`).toBe(false);
    }
    const { publicKey } = await newSigningKeyPair();
    expect(await isSignatureGenuine(Buffer.from(publicKey, 'base64'), parameters, RFC.values, signature)).toBe(false);
  });

  test('has the digests of RFC 9530', () => {
    expect(contentDigest('{"hello": "world"}')).toBe('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:');
    expect(contentDigest('{"hello": ', Buffer.from('"world"}'))).toBe(contentDigest('{"hello": "world"}'));
  });
});

describe('a signed request', () => {
  const values = (headers: Record<string, string>): Components => ({
    '@method': 'POST',
    '@path': '/v1/messages',
    'content-digest': headers['content-digest'] ?? '',
    'idempotency-key': 'order-17',
  });

  test('is genuine, with a key in PEM, in base64 and of Web Crypto', async () => {
    const seed = RFC.privateKey.split('\n')[1] ?? '';
    const inBase64 = Buffer.from(seed, 'base64').subarray(-32).toString('base64');
    const ofWebCrypto = await crypto.subtle.importKey('pkcs8', Buffer.from(seed, 'base64'), 'Ed25519', false, ['sign']);
    const signed = await Promise.all(
      [RFC.privateKey, inBase64, ofWebCrypto].map((privateKey) => signRequest({ id: 'sgk_1', privateKey }, REQUEST)),
    );
    const [headers] = signed;
    if (!headers) throw new Error('nothing was signed');
    expect(signed).toEqual([headers, headers, headers]);
    const { parameters, signature } = parseSignature(headers['signature-input'], headers.signature);
    expect(headers['signature-input']).toBe(
      'waybill=("@method" "@path" "content-digest" "idempotency-key");created=1800000000;keyid="sgk_1";alg="ed25519"',
    );
    // The Python client's tests have the same text.
    expect(headers.signature).toBe('waybill=:PkUirxzW0NCQmSqCDdb3j06c3NXRpnxu6XV4amLIPSiPszILS+TjCERxdmQZcQDto2pkcQUuAolLoY6vZGSoCQ==:');
    expect(parameters).toMatchObject({ created: 1_800_000_000, keyid: 'sgk_1', alg: 'ed25519', expires: undefined });
    expect(fault(() => checkCoverage(parameters, true))).toBeUndefined();
    expect(await isSignatureGenuine(RFC.publicKey, parameters, values(headers), signature)).toBe(true);
    expect(isDigestOf(headers['content-digest'], contentDigest(REQUEST.body))).toBe(true);
    expect(isDigestOf(headers['content-digest'], contentDigest(`${REQUEST.body} `))).toBe(false);
  });

  test('names its service, recipient and files, and has a nonce of its own', async () => {
    const files = filesHash([1, 2].map((n) => `sha256:${String(n).padStart(64, '0')}`));
    const statement = { ...REQUEST, authority: 'Waybill.example.com:8443', recipient: 'globex', files };
    const by = { id: 'sgk_1', privateKey: RFC.privateKey };
    const headers = await signRequest(by, { ...statement, nonce: 'bm9uY2Vub25jZW5vbmNlMTIz' });
    const covered = '("@method" "@path" "@authority" "content-digest" "idempotency-key" "waybill-recipient" "waybill-files")';
    expect(headers['signature-input']).toBe(
      `waybill=${covered};created=1800000000;keyid="sgk_1";alg="ed25519";nonce="bm9uY2Vub25jZW5vbmNlMTIz"`,
    );
    // Computed with OpenSSL. The Python client's tests have the same text.
    expect(headers.signature).toBe('waybill=:TCO1i6yXa3aD/KWlqk/ErG14KhtSL2pRHdbLTpc7pY1Vaf7WFMmBnd9tv3NC8oRwTXqjt8NpEtnzixIzBUBNDA==:');
    const nonces = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { 'signature-input': input, signature } = await signRequest(by, statement);
        return parseSignature(input, signature).parameters.nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(50);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w-]{16,64}$/);
  });

  test('is genuine with a new key pair', async () => {
    const { privateKey, publicKey } = await newSigningKeyPair();
    const headers = await signRequest({ id: 'sgk_2', privateKey }, REQUEST);
    const { parameters, signature } = parseSignature(headers['signature-input'], headers.signature);
    expect(await isSignatureGenuine(Buffer.from(publicKey, 'base64'), parameters, values(headers), signature)).toBe(true);
  });

  test('is not made with something else than a private key', async () => {
    for (const privateKey of ['', 'AAAA', 'not base64', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'])
      await expect(signRequest({ id: 'sgk_1', privateKey }, REQUEST), privateKey).rejects.toThrow();
  });
});

describe('headers of a signature', () => {
  const input = '("@method" "@path" "content-digest");created=1;keyid="sgk_1";alg="ed25519"';
  const bytes = `:${Buffer.alloc(64, 7).toString('base64')}:`;

  test('have one signature that counts: the only one, or that with the label waybill', () => {
    const of = (inputs: string, signatures: string) => parseSignature(inputs, signatures).parameters.text;
    expect(of(`sig1=${input}`, `sig1=${bytes}`)).toBe(input);
    expect(of(`proxy=("@authority");keyid="a, waybill=()", waybill=${input}`, `proxy=${bytes} , waybill=${bytes}`)).toBe(input);
    const faults: [string, string, RegExp][] = [
      [`a=${input}, b=${input}`, `a=${bytes}, b=${bytes}`, /none with the label waybill/],
      [`a=${input}`, `b=${bytes}`, /nothing with the label a/],
      [`a=${input}, a=${input}`, `a=${bytes}`, /twice/],
      [`a=${input}`, `a=${bytes}, a=${bytes}`, /twice/],
      [`a=${input}`, 'a=:AAAA:', /64 bytes/],
      [`a=${input}`, `a=:${Buffer.alloc(64, 7).toString('base64').replace('=', '')}:`, /64 bytes/],
    ];
    for (const [inputs, signatures, message] of faults)
      expect(
        fault(() => of(inputs, signatures)),
        inputs,
      ).toMatch(message);
  });

  test('are read in their canonical form only', () => {
    const wrong = [
      '',
      'a',
      `a=${input} `,
      ` a=${input}`,
      `a=${input},`,
      `A=${input}`,
      input,
      'a=( "@method")',
      'a=("@method"  "@path")',
      'a=("@method";req)',
      'a=("@method")created=1',
      'a=("@method");created=1.5',
      'a=("@method");created="1"x',
      'a=("@method"); created=1',
      'a=("@method");created',
      'a=("@method");keyid="\\""',
      'a=("@method");keyid="ü"',
      'a=("@method"',
      `a=("${'x'.repeat(3_000)}")`,
    ];
    for (const one of wrong)
      expect(
        fault(() => parseSignature(one, `a=${bytes}`)),
        one,
      ).toMatch(/canonical|longer/);
    for (const one of ['', `a=${bytes};p=1`, `a=:${'*'.repeat(88)}:`, `a="${bytes}"`])
      expect(
        fault(() => parseSignature(`a=${input}`, one)),
        one,
      ).toMatch(/canonical/);
  });

  test('have each component and each parameter once, and only parameters with a meaning', () => {
    expect(fault(() => parseParameters('("@method" "@method")'))).toMatch(/component twice/);
    expect(fault(() => parseParameters('();created=1;created=2'))).toMatch(/created twice/);
    expect(fault(() => parseParameters('();created="1"'))).toMatch(/created/);
    expect(fault(() => parseParameters('();keyid=1'))).toMatch(/keyid/);
    expect(fault(() => parseParameters('();other=1'))).toMatch(/other/);
    expect(parseParameters('("a)");expires=-3;nonce="x";tag=""')).toMatchObject({ components: ['a)'], expires: -3, created: undefined });
  });

  test('cover what they must, and no secrets', () => {
    const coverage = (text: string, hasKey = false) => fault(() => checkCoverage(parseParameters(text), hasKey));
    const rest = ';created=1;keyid="k";alg="ed25519"';
    expect(coverage(input)).toBeUndefined();
    expect(coverage(`("@method" "@path")${rest}`)).toMatch(/"content-digest"/);
    expect(coverage(`("@path" "content-digest")${rest}`)).toMatch(/"@method"/);
    expect(coverage(`("@method" "content-digest")${rest}`)).toMatch(/"@path"/);
    expect(coverage(input, true)).toMatch(/"idempotency-key"/);
    expect(coverage(`("@method" "@path" "content-digest" "authorization")${rest}`)).toMatch(/can’t cover "authorization"/);
    expect(coverage('("@method" "@path" "content-digest");created=1;keyid="k"')).toMatch(/alg/);
    expect(coverage('("@method" "@path" "content-digest");created=1;keyid="k";alg="hmac-sha256"')).toMatch(/alg/);
    expect(coverage('("@method" "@path" "content-digest");keyid="k";alg="ed25519"')).toMatch(/created/);
    expect(coverage('("@method" "@path" "content-digest");created=1;alg="ed25519"')).toMatch(/keyid/);
  });

  test('can’t pass one value for two components', () => {
    const parameters = parseParameters('("@method" "@path")');
    expect(fault(() => signatureBase(parameters, { '@method': 'POST\n"@path": /', '@path': '/' }))).toMatch(/characters/);
    expect(fault(() => signatureBase(parameters, { '@method': 'POST' }))).toMatch(/does not have/);
    expect(fault(() => signatureBase(parseParameters('("constructor")'), {}))).toMatch(/does not have/);
  });

  test('have a digest with SHA-256', () => {
    const digest = contentDigest('x');
    expect(isDigestOf(`sha-512=:AAAA:, ${digest}`, digest)).toBe(true);
    expect(isDigestOf('sha-256=:AAAA:', digest)).toBe(false);
    expect(fault(() => isDigestOf('sha-512=:AAAA:', digest))).toMatch(/sha-256/);
    expect(fault(() => isDigestOf('x', digest))).toMatch(/canonical/);
  });
});
