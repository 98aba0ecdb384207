import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { CLIENT, listenAs, stopListening } from './identity-provider.ts';

type Json = Record<string, unknown>;

/** The next response of the provider: claims and how to sign them. */
export interface Forgery {
  claims?: Json;
  header?: Json;
  sign?: (input: string, forge: TokenForge) => string;
}

export interface TokenForge {
  issuer: string;
  key: { publicKey: KeyObject; privateKey: KeyObject };
  next: Forgery;
  /** The number of requests, by the last part of their path. */
  asked: Map<string, number>;
  changeKey(): void;
  isAway: boolean;
  stop(): Promise<void>;
}

interface Options {
  /** The host of the Internet that the provider plays, with TLS. */
  host?: string;
  /** The path below which everything is, such as that of a tenant of Microsoft. */
  path?: string;
  /** The issuer, if it is not the provider's own address. */
  describedAs?: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export const signedWith = (key: KeyObject) => (input: string) => sign('sha256', Buffer.from(input), key).toString('base64url');
export const signedWithPublicKey = (input: string, { key }: TokenForge) =>
  createHmac('sha256', key.publicKey.export({ type: 'spki', format: 'pem' }))
    .update(input)
    .digest('base64url');

function newKey() {
  return { ...generateKeyPairSync('rsa', { modulusLength: 2048 }), kid: randomUUID() };
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const part of request) text += part;
  return new URLSearchParams(text);
}

/** A provider that signs anything, for responses that a correct one never sends. */
export async function startTokenForge({ host, path = '', describedAs }: Options = {}): Promise<TokenForge> {
  let key = newKey();
  const nonces = new Map<string, string>();
  const { server, url } = await listenAs(host, async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const what = asked.pathname.split('/').at(-1) ?? '';
    forge.asked.set(what, (forge.asked.get(what) ?? 0) + 1);
    const respond = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (forge.isAway) return respond({}, 503);
    if (what === 'openid-configuration')
      return respond({
        issuer: describedAs ?? forge.issuer,
        authorization_endpoint: `${forge.issuer}/authorize`,
        token_endpoint: `${forge.issuer}/token`,
        jwks_uri: `${forge.issuer}/keys`,
      });
    if (what === 'keys') return respond({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig' }] });
    if (what === 'authorize') {
      const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
      const code = randomUUID();
      nonces.set(code, asked.searchParams.get('nonce') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', asked.searchParams.get('state') ?? '');
      return response.writeHead(302, { location: back.href }).end();
    }
    const { claims, header, sign: signing = signedWith(key.privateKey) } = forge.next;
    const nonce = nonces.get((await bodyOf(request)).get('code') ?? '');
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: forge.issuer, aud: CLIENT.id, sub: 'somebody', iat: now, exp: now + 300, nonce, ...claims };
    const input = `${encode({ alg: 'RS256', kid: key.kid, ...header })}.${encode(all)}`;
    return respond({ id_token: `${input}.${signing(input, forge)}`, access_token: 'x', token_type: 'Bearer' });
  });
  const forge: TokenForge = {
    issuer: `${url}${path}`,
    get key() {
      return key;
    },
    next: {},
    asked: new Map(),
    changeKey: () => {
      key = newKey();
    },
    isAway: false,
    stop: () => stopListening(server),
  };
  return forge;
}
