import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, both as PEM. */
export interface Identity {
  cert: string;
  key: string;
}

export interface Authority {
  cert: string;
  /** Issues a certificate for these names and addresses. It is valid for a day, unless `expired`. */
  issue(hosts: string[], options?: { expired?: boolean }): Identity;
}

const DAY_MS = 86_400_000;

/** Writes DER: a tag, the length, the content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length.toString(16).padStart(body.length < 256 ? 2 : 4, '0');
  const head =
    body.length < 128 ? Buffer.from([body.length]) : Buffer.concat([Buffer.from([0x80 + length.length / 2]), Buffer.from(length, 'hex')]);
  return Buffer.concat([Buffer.from([tag]), head, body]);
}

const sequence = (...items: Buffer[]) => der(0x30, ...items);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Buffer) => der(0x04, content);
const TRUE = der(0x01, Buffer.from([0xff]));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const SUBJECT_ALT_NAME = oid('551d11');

const name = (text: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
const time = (ms: number) => der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));
const altName = (host: string) => (isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)));

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function certificate(subject: string, of: KeyObject, by: KeyObject, extension: Buffer, [from, to]: [number, number]): string {
  const tbs = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name('Test authority'),
    sequence(time(from), time(to)),
    name(subject),
    of.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signed = sequence(tbs, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign('sha256', tbs, by)));
  return `-----BEGIN CERTIFICATE-----\n${signed.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

export function selfSigned(hosts: string[]): Identity {
  const { publicKey, privateKey } = newKey();
  const names = sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(altName))));
  return {
    cert: certificate('Test authority', publicKey, privateKey, names, [Date.now() - DAY_MS, Date.now() + DAY_MS]),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A certificate authority of the tests' own. */
export function newAuthority(): Authority {
  const now = Date.now();
  const own = newKey();
  const isAuthority = sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE)));
  return {
    cert: certificate('Test authority', own.publicKey, own.privateKey, isAuthority, [now - DAY_MS, now + DAY_MS]),
    issue: (hosts, { expired = false } = {}) => {
      const { publicKey, privateKey } = newKey();
      const names = sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(altName))));
      const validity: [number, number] = expired ? [now - 3 * DAY_MS, now - 2 * DAY_MS] : [now - DAY_MS, now + DAY_MS];
      return {
        cert: certificate(hosts[0] ?? '', publicKey, own.privateKey, names, validity),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}
