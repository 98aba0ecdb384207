import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { CLIENT } from '../support/identity-provider.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { signInAt } from '../support/sign-in-walk.ts';
import { type Forgery, signedWith, signedWithPublicKey, startTokenForge, type TokenForge } from '../support/token-forge.ts';

let forge: TokenForge;
let service: TestService;

beforeAll(async () => {
  forge = await startTokenForge();
  service = await startTestService({ OIDC_ISSUER: forge.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret });
});
afterAll(() => Promise.all([service.stop(), forge.stop()]));
beforeEach(() => {
  forge.next = {};
});

const signIn = async (next: Forgery) => {
  forge.next = next;
  const { browser, landed } = await signInAt(service.url, 'oidc');
  return { landed, status: (await browser.get('/v1/account')).status };
};
const jane = { email: 'jane@corp.example', email_verified: true };

test('a valid token signs in', async () => {
  expect(await signIn({ claims: jane })).toEqual({ landed: '/home', status: 200 });
});

const past = Math.floor(Date.now() / 1000) - 3_600;
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const refused: [string, Forgery][] = [
  ['of another sign-in', { claims: { ...jane, nonce: 'another' } }],
  ['of no sign-in', { claims: { ...jane, nonce: undefined } }],
  ['of another issuer', { claims: { ...jane, iss: 'https://other.example' } }],
  ['for another service', { claims: { ...jane, aud: 'other' } }],
  ['for another service too, which asked for it', { claims: { ...jane, aud: [CLIENT.id, 'other'], azp: 'other' } }],
  ['that has expired', { claims: { ...jane, exp: past } }],
  ['of nobody', { claims: { ...jane, sub: '' } }],
  ['of something that is no name', { claims: { ...jane, sub: { toString: 'x' } } }],
  ['signed with another key', { claims: jane, sign: signedWith(foreign) }],
  ['signed with a key that is not published', { claims: jane, header: { kid: 'unknown' } }],
  ['that is not signed', { claims: jane, header: { alg: 'none' }, sign: () => '' }],
  ['signed with what everybody knows', { claims: jane, header: { alg: 'HS256' }, sign: signedWithPublicKey }],
];

test.each(refused)('a token %s signs nobody in', async (_name, next) => {
  expect(await signIn(next)).toEqual({ landed: '/sign-in?error=unable_to_get_user_info', status: 401 });
});

describe('a provider', () => {
  test('is not asked for its keys at each sign-in, but followed when it changes them', async () => {
    await signIn({ claims: jane });
    const before = forge.asked.get('keys') as number;
    await signIn({ claims: jane });
    expect(forge.asked.get('keys')).toBe(before);
    forge.changeKey();
    await expect.poll(() => signIn({ claims: jane }), { timeout: 40_000, interval: 500 }).toEqual({ landed: '/home', status: 200 });
    expect(forge.asked.get('keys')).toBe(before + 1);
  });

  test('that is away is told as such, and works as soon as it is back', async () => {
    const other = await startTokenForge();
    other.isAway = true;
    const sibling = await service.sibling({ OIDC_ISSUER: other.issuer });
    const begin = () => new Browser(sibling.url).post('/auth/sign-in/social', { provider: 'oidc', callbackURL: '/home' });
    const refusal = await begin();
    expectRefusal(refusal, 'unavailable');
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    other.isAway = false;
    expect((await begin()).status).toBe(200);
    other.next = { claims: jane };
    expect((await signInAt(sibling.url, 'oidc')).landed).toBe('/home');
    await Promise.all([sibling.stop(), other.stop()]);
  });

  test('that describes itself as somebody else is not believed', async () => {
    const other = await startTokenForge({ describedAs: forge.issuer });
    const sibling = await service.sibling({ OIDC_ISSUER: other.issuer });
    expectRefusal(await new Browser(sibling.url).post('/auth/sign-in/social', { provider: 'oidc', callbackURL: '/home' }), 'unavailable');
    await Promise.all([sibling.stop(), other.stop()]);
  });
});
