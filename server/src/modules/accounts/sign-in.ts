import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { invalid, Refusal } from '../../contract/errors.ts';
import { CODE_LIFETIME_S } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { Person, SignedIn, SignInProof, SignInProvider } from '../../contract/people.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import type { Auth, UnderWay } from './better-auth.ts';
import { countCode, countTry, noteKnown } from './code-limits.ts';
import { codePassOf, isCodePass } from './code-pass.ts';
import { deviceCookie, deviceHash, deviceOf, newDevice } from './devices.ts';
import { isNowhere } from './identity.ts';
import type { ProviderSettings } from './providers.ts';
import { probe } from './store.ts';
import { type AuthResponse, headersOf, readResponse, requestOf } from './web-bridge.ts';

interface SignInServices {
  database: Database;
  log: Logger;
  secret: Buffer;
  publicUrl: string;
  providers: ProviderSettings[];
  isConsumer: (domain: string) => boolean;
  sendCode: (tx: Queryable, email: string, mail: { code: string; minutes: number; passUrl: string | undefined }) => Promise<void>;
}

/** Over HTTPS the name has the prefix `__Host-`. */
const SESSION_COOKIE = 'waybill.session_token=';

export class SignIn {
  readonly #services: SignInServices;
  #loaded: Promise<Loaded> | undefined;

  constructor(services: SignInServices) {
    this.#services = services;
  }

  get ways(): { email: true; google: boolean; microsoft: boolean; oidc: { name: string } | null; passkey: boolean } {
    const { providers, publicUrl } = this.#services;
    const offers = (id: SignInProvider) => providers.find((provider) => provider.id === id);
    const oidc = offers('oidc');
    // Browsers create passkeys for host names only, not for IP addresses.
    const hasName = isIP(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')) === 0;
    return {
      email: true,
      google: offers('google') !== undefined,
      microsoft: offers('microsoft') !== undefined,
      oidc: oidc ? { name: oidc.name } : null,
      passkey: hasName,
    };
  }

  async personFor(request: FastifyRequest): Promise<SignedIn | undefined> {
    if (!request.headers.cookie?.includes(SESSION_COOKIE)) return undefined;
    const { auth } = await this.#load();
    const { response, headers } = await auth.api
      .getSession({ headers: headersOf(request), returnHeaders: true })
      .catch((error) => this.#blame(error));
    return response ? { person: personOf(response), cookies: headers.getSetCookie() } : undefined;
  }

  /** Behaves the same for known and unknown mailboxes, so that nobody learns who has an account. */
  async sendCode(request: FastifyRequest, emailText: string, pass = ''): Promise<AuthResponse> {
    const { database, secret, sendCode, publicUrl } = this.#services;
    const email = checkedEmail(emailText);
    const cookie = deviceOf(request, publicUrl) ?? newDevice();
    const device = deviceHash(cookie);
    const { isContested } = await countCode(database, { email, device, address: request.ip }, isCodePass(secret, email, pass));
    const { auth, signInUnderWay } = await this.#load();
    const code = await signInUnderWay
      .run({ device }, () => auth.api.createVerificationOTP({ body: { email, type: 'sign-in' } }))
      .catch((error) => this.#blame(error));
    const fragment = new URLSearchParams({ email, pass: codePassOf(secret, email) });
    const passUrl = isContested ? `${publicUrl}/sign-in#${fragment}` : undefined;
    await database.transaction((tx) => sendCode(tx, email, { code, minutes: CODE_LIFETIME_S / 60, passUrl }));
    return { headers: { 'set-cookie': deviceCookie(cookie, publicUrl) }, body: { success: true } };
  }

  async withCode(request: FastifyRequest, body: { email: string; otp: string }): Promise<AuthResponse> {
    const { database, publicUrl } = this.#services;
    const cookie = deviceOf(request, publicUrl);
    const requester = { email: checkedEmail(body.email), device: deviceHash(cookie ?? ''), address: request.ip };
    await countTry(database, requester);
    if (cookie === undefined) throw invalid([{ path: '/otp', message: 'must be a code that this browser has requested' }]);
    const { email, device } = requester;
    const opened = await this.#withoutToken(
      this.handle(request, { ...body, email }, { shown: { provider: 'email', proves: 'mailbox' }, device }),
    );
    await noteKnown(database, requester);
    return opened;
  }

  withPasskey(request: FastifyRequest, body: object): Promise<AuthResponse> {
    return this.#withoutToken(this.handle(request, body));
  }

  async handle(request: FastifyRequest, body?: object, underWay: UnderWay = {}): Promise<AuthResponse> {
    const { auth, signInUnderWay } = await this.#load();
    const response = await signInUnderWay.run({ ...underWay }, () => auth.handler(requestOf(request, this.#services.publicUrl, body)));
    if (response.status >= 500) await probe(this.#services.database);
    return readResponse(response);
  }

  /** Hides the session's token, which better-auth would show to scripts, although its cookie is HttpOnly. */
  async #withoutToken(response: Promise<AuthResponse>): Promise<AuthResponse> {
    return { ...(await response), body: { success: true } };
  }

  /** The library is loaded on first use: it is large, and not every process needs it. */
  #load(): Promise<Loaded> {
    this.#loaded ??= import('./better-auth.ts').then(({ createAuth, signInUnderWay }) => ({
      auth: createAuth(this.#services),
      signInUnderWay,
    }));
    return this.#loaded;
  }

  /** better-auth hides the cause, which is mostly the database. Then the probe fails with the reason. */
  async #blame(error: unknown): Promise<never> {
    await probe(this.#services.database);
    throw error;
  }
}

type Loaded = { auth: Auth; signInUnderWay: typeof import('./better-auth.ts')['signInUnderWay'] };

function checkedEmail(text: string): string {
  const email = parseEmail(text);
  if (email !== undefined && !isNowhere(email)) return email;
  throw invalid([{ path: '/email', message: 'must be a mail address such as jane@example.com' }]);
}

type Signed = NonNullable<Awaited<ReturnType<Auth['api']['getSession']>>>;

function personOf({ session, user }: Signed): Person {
  return {
    id: String(user.id),
    email: user.emailVerified === true ? String(user.email) : null,
    name: String(user.name),
    provider: session.provider as SignInProvider,
    proves: session.proves as SignInProof,
    sessionId: String(session.id),
  };
}

export function refuseUnlessOffered(ways: SignIn['ways'], provider: string): void {
  if (provider === 'google' || provider === 'microsoft' || provider === 'oidc') if (ways[provider]) return;
  throw new Refusal('not_found', 'This way to sign in is not offered.');
}
