import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import { APIError } from '@better-auth/core/error';
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { emailOTP } from 'better-auth/plugins';
import { PostgresDialect } from 'kysely';
import type { Logger } from 'pino';
import { newUuid } from '../../contract/ids.ts';
import {
  CODE_DIGITS,
  CODE_LIFETIME_S,
  CODE_TRIES_MAX,
  SESSION_FRESH_FOR_S,
  SESSION_LIFETIME_S,
  SESSION_RENEWED_AFTER_S,
  USER_AGENT_KEPT_CHARS,
} from '../../contract/limits.ts';
import type { SignInProof, SignInProvider } from '../../contract/people.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ADDRESS_HEADER } from './address-header.ts';
import { bindCodes } from './bound-codes.ts';
import { hashTokens } from './hashed-tokens.ts';
import { type Claims, identityOf, nameOf, storedEmail } from './identity.ts';
import { OpenIdProvider } from './openid-provider.ts';
import type { ProviderSettings } from './providers.ts';
import * as store from './store.ts';

/** The proof of a sign-in under way. Without it, no session is opened, whichever way the sign-in took. */
interface Shown {
  provider: SignInProvider;
  proves: SignInProof;
  /** The proved mailbox. Undefined where only the person's own mailbox is possible. */
  email?: string | null | undefined;
  passkey?: string | undefined;
}

export interface UnderWay {
  shown?: Shown | undefined;
  /** A hash of the cookie of the browser that requests or enters the code. */
  device?: string;
}

export const signInUnderWay = new AsyncLocalStorage<UnderWay>();

interface AuthServices {
  database: Database;
  log: Logger;
  secret: Buffer;
  publicUrl: string;
  providers: ProviderSettings[];
  isConsumer: (domain: string) => boolean;
}

export type Auth = ReturnType<typeof createAuth>;

/** better-auth with our settings. Only the paths in auth-routes.ts lead here. */
export function createAuth({ database, log, secret, publicUrl, providers, isConsumer }: AuthServices) {
  const isSecure = publicUrl.startsWith('https://');
  const { origin, hostname } = new URL(publicUrl);
  const socialProviders = providers.map((settings) => socialProvider(settings, isConsumer));
  return betterAuth({
    appName: 'Waybill',
    baseURL: `${publicUrl}/auth`,
    trustedOrigins: [origin],
    secret: secret.toString('base64'),
    database: { dialect: new PostgresDialect({ pool: database.pool }), type: 'postgres', transaction: true },
    telemetry: { enabled: false },
    // Our own limits hold for all processes together, and use an address that can't be forged.
    rateLimit: { enabled: false },
    // Our own error handler reports failures, with the id of the request.
    onAPIError: { throw: true, errorURL: `${publicUrl}/sign-in` },
    logger: {
      log: (level, message, ...details) => {
        const err = details.find((detail) => detail instanceof Error);
        log[level === 'error' ? 'warn' : 'debug']({ ...(err && { err }) }, `sign-in: ${message}`);
      },
    },
    advanced: {
      // A cookie with this prefix can't be set by another host of the same domain, nor over plain HTTP.
      cookiePrefix: isSecure ? '__Host-waybill' : 'waybill',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
      database: { generateId: () => newUuid(), validateSchema: false },
    },
    ...tables,
    databaseHooks: {
      user: { create: { before: async ({ name, email }) => ({ data: { name: nameOf(name, email.split('@')[0]), image: undefined } }) } },
      // The service does nothing in anybody's name at a provider, so no token is stored.
      account: { create: { before: async () => ({ data: { accessToken: undefined, refreshToken: undefined, idToken: undefined } }) } },
      session: {
        create: {
          before: async ({ userId, userAgent }) => ({
            data: { ...(await proofFor(database, userId)), userAgent: userAgent?.slice(0, USER_AGENT_KEPT_CHARS) },
          }),
          after: ({ userId }) => store.noteSessionOpened(database, userId),
        },
      },
    },
    plugins: [
      {
        id: 'waybill',
        init: ({ adapter }) => ({ context: { socialProviders, adapter: hashTokens(bindCodes(adapter, deviceUnderWay)) } }),
      },
      codes(secret),
      passkeys(database, hostname, origin),
    ],
  });
}

const times = { createdAt: 'created_at', updatedAt: 'updated_at' };

const tables = {
  user: { modelName: 'people', fields: { emailVerified: 'email_verified', ...times } },
  session: {
    modelName: 'sessions',
    fields: { userId: 'person_id', expiresAt: 'expires_at', ipAddress: 'address', userAgent: 'user_agent', ...times },
    additionalFields: {
      provider: { type: 'string', input: false },
      proves: { type: 'string', input: false },
      passkey: { type: 'string', input: false, required: false },
    },
    expiresIn: SESSION_LIFETIME_S,
    updateAge: SESSION_RENEWED_AFTER_S,
    freshAge: SESSION_FRESH_FOR_S,
    // A revoked session must end with the next request, so no session is cached.
    cookieCache: { enabled: false },
  },
  account: {
    modelName: 'sign_in_accounts',
    fields: {
      userId: 'person_id',
      providerId: 'provider',
      accountId: 'account_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...times,
    },
    updateAccountOnSignIn: false,
  },
  verification: { modelName: 'verifications', fields: { expiresAt: 'expires_at', ...times }, disableCleanup: true },
} as const;

function socialProvider(settings: ProviderSettings, isConsumer: AuthServices['isConsumer']) {
  return new OpenIdProvider(settings).forBetterAuth((claims: Claims) => {
    const identity = identityOf(settings.id, claims, isConsumer);
    show(identity);
    return { email: storedEmail(identity), emailVerified: identity.email !== null, name: identity.name };
  });
}

function codes(secret: Buffer) {
  return emailOTP({
    otpLength: CODE_DIGITS,
    expiresIn: CODE_LIFETIME_S,
    allowedAttempts: CODE_TRIES_MAX,
    // A million codes can be hashed in a second, so a hash protects them only with a key.
    storeOTP: { hash: async (code) => createHmac('sha256', secret).update(code).digest('base64url') },
    sendVerificationOTP: async () => {
      throw new Error('codes are sent by sign-in.ts');
    },
  });
}

function passkeys(database: Database, rpID: string, origin: string) {
  return passkey({
    rpID,
    rpName: 'Waybill',
    origin,
    advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
    authentication: {
      afterVerification: async ({ clientData }) => {
        const shown = await store.findPasskeyProof(database, clientData.id);
        if (shown) show({ ...shown, passkey: shown.name ?? '' });
      },
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          userId: 'person_id',
          credentialID: 'credential_id',
          publicKey: 'public_key',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  });
}

function show(shown: Shown): void {
  const underWay = signInUnderWay.getStore();
  if (underWay) underWay.shown = { provider: shown.provider, proves: shown.proves, email: shown.email, passkey: shown.passkey };
}

function deviceUnderWay(): string {
  const device = signInUnderWay.getStore()?.device;
  if (device === undefined) throw new Error('a code belongs to a browser');
  return device;
}

async function proofFor(
  database: Database,
  personId: string,
): Promise<{ provider: SignInProvider; proves: SignInProof; passkey: string | undefined }> {
  const shown = signInUnderWay.getStore()?.shown;
  if (!shown) throw new APIError('FORBIDDEN', { message: 'The provider did not prove who you are.' });
  const { provider, proves, email, passkey } = shown;
  // The account may belong to a person with another mailbox than the provider vouches for today.
  const isAboutThem = email === undefined || email === (await store.findEmail(database, personId));
  return { provider, proves: isAboutThem ? proves : 'nothing', passkey };
}
