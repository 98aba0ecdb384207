import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { APIError } from '@better-auth/core/error';
import { createAuthorizationURL, type OAuthProvider, verifyProviderIdToken } from '@better-auth/core/oauth2';
import { accountIdOf, type Claims } from './identity.ts';

export interface OpenIdSettings {
  id: string;
  name: string;
  /** Where its description is found, without a slash at the end. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** One description for many issuers, as Microsoft has it: `{tenantid}` in the issuer stands for the claim `tid`. */
  isMultiTenant?: boolean;
}

/** Of the description, what is used. */
interface Description {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  userinfo_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
}

interface Jwk extends JsonWebKey {
  kid?: string;
}

const PATIENCE_MS = 10_000;
const DESCRIPTION_KEPT_MS = 3_600_000;
/** A token with a key that is not known makes the keys be fetched anew, though not more often than this. */
const KEYS_KEPT_AT_LEAST_MS = 10_000;
/** Signatures by key pairs only: what is checked with a public key must not be signable with it. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const NOTHING_TOLD: Record<string, unknown> = {};
const TENANT_ID = /^[0-9a-f-]{36}$/i;

/**
 * An OpenID Connect provider for better-auth: code flow with PKCE, state and nonce. The one that comes along with
 * better-auth asks for the provider's description once, when the service starts, and a provider that is away at that
 * moment would stay away; its own Google and Microsoft send no nonce.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings;
  #description: { value: Promise<Description>; at: number } | undefined;
  #keys: { value: Promise<Jwk[]>; at: number } | undefined;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
  }

  /** `onClaims` tells what better-auth is to take the person for. */
  forBetterAuth(onClaims: (claims: Claims) => { email: string; emailVerified: boolean; name: string }): OAuthProvider<Claims> {
    const { id, name, clientId, clientSecret } = this.#settings;
    return {
      id,
      name,
      requiresIdTokenNonce: true,
      accountSubject: ({ profile }) => accountIdOf(profile),
      createAuthorizationURL: async ({ state, codeVerifier, redirectURI, idTokenNonce }) =>
        createAuthorizationURL({
          id,
          options: { clientId, clientSecret },
          authorizationEndpoint: (await this.#describe()).authorization_endpoint,
          scopes: ['openid', 'email', 'profile'],
          state,
          codeVerifier,
          redirectURI,
          nonce: idTokenNonce,
        }),
      validateAuthorizationCode: ({ code, codeVerifier, redirectURI }) => this.#exchange(code, codeVerifier ?? '', redirectURI),
      getUserInfo: async ({ idToken, accessToken, expectedIdTokenNonce }) => {
        if (idToken === undefined || expectedIdTokenNonce === undefined) return null;
        const claims = await this.#claimsOf(idToken, accessToken, expectedIdTokenNonce);
        return claims ? { user: onClaims(claims), data: claims } : null;
      },
    };
  }

  #describe(): Promise<Description> {
    if (this.#description === undefined || Date.now() - this.#description.at > DESCRIPTION_KEPT_MS) {
      const value = this.#fetchDescription();
      this.#description = { value, at: Date.now() };
      // What failed is asked for again by the next one who wants it.
      value.catch(() => {
        this.#description = undefined;
      });
    }
    return this.#description.value;
  }

  async #fetchDescription(): Promise<Description> {
    const { name, issuer, isMultiTenant } = this.#settings;
    const description = (await fetchJson(`${issuer}/.well-known/openid-configuration`).catch((cause) => {
      throw new APIError('SERVICE_UNAVAILABLE', { message: `${name} can’t be reached at the moment.`, cause });
    })) as Partial<Description> as Description;
    const isRight = isMultiTenant || description.issuer?.replace(/\/$/, '') === issuer;
    if (!isRight) throw new APIError('SERVICE_UNAVAILABLE', { message: `${name} describes itself as somebody else.` });
    return description;
  }

  async #exchange(code: string, codeVerifier: string, redirectUri: string): Promise<{ idToken?: string; accessToken?: string }> {
    const { clientId, clientSecret } = this.#settings;
    const { token_endpoint, token_endpoint_auth_methods_supported: methods } = await this.#describe();
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri });
    const headers: Record<string, string> = {};
    if (methods === undefined || methods.includes('client_secret_basic')) {
      const pair = [clientId, clientSecret].map((part) => new URLSearchParams({ part }).toString().slice('part='.length)).join(':');
      headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else {
      body.set('client_id', clientId);
      body.set('client_secret', clientSecret);
    }
    const { id_token, access_token } = await fetchJson(token_endpoint, { method: 'POST', body, headers });
    return { idToken: text(id_token), accessToken: text(access_token) };
  }

  /** Undefined when the token is not one of this provider's, for us, and for this very sign-in. */
  async #claimsOf(idToken: string, accessToken: string | undefined, nonce: string): Promise<Claims | undefined> {
    const { clientId } = this.#settings;
    const description = await this.#describe();
    const isGenuine = await verifyProviderIdToken(
      {
        idToken: {
          jwks: ({ kid }) => this.#keyFor(kid),
          issuer: this.#settings.isMultiTenant ? undefined : description.issuer,
          audience: clientId,
          algorithms: ALGORITHMS,
          verifyClaims: (claims) => (claims.azp ?? clientId) === clientId && this.#isIssuedRight(claims, description),
        },
      } as Partial<OAuthProvider> as OAuthProvider,
      idToken,
      nonce,
    );
    if (!isGenuine) return undefined;
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as Claims;
    if (claims.email !== undefined || description.userinfo_endpoint === undefined || accessToken === undefined) return claims;
    // Many providers keep the address out of the token and tell it on request only.
    const told = await fetchJson(description.userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } }).catch(
      () => NOTHING_TOLD,
    );
    const { name = told.name } = claims;
    return told.sub === claims.sub ? { ...claims, name, email: told.email, email_verified: told.email_verified } : claims;
  }

  #isIssuedRight({ iss, tid, sub }: Record<string, unknown>, { issuer }: Description): boolean {
    if (typeof sub !== 'string' || sub === '') return false;
    if (!this.#settings.isMultiTenant) return iss === issuer;
    return typeof tid === 'string' && TENANT_ID.test(tid) && iss === issuer.replace('{tenantid}', tid);
  }

  async #keyFor(kid: string | undefined): Promise<KeyObject> {
    const find = (keys: Jwk[]) => (kid === undefined && keys.length === 1 ? keys[0] : keys.find((key) => key.kid === kid));
    let key = find(await this.#fetchedKeys(Number.POSITIVE_INFINITY));
    key ??= find(await this.#fetchedKeys(KEYS_KEPT_AT_LEAST_MS));
    if (!key) throw new Error('the token is signed with a key that its provider does not publish');
    return createPublicKey({ key, format: 'jwk' });
  }

  #fetchedKeys(keptMs: number): Promise<Jwk[]> {
    if (this.#keys === undefined || Date.now() - this.#keys.at > Math.min(keptMs, DESCRIPTION_KEPT_MS)) {
      const value = this.#describe()
        .then(({ jwks_uri }) => fetchJson(jwks_uri))
        .then(({ keys }) => (Array.isArray(keys) ? (keys as Jwk[]) : []));
      this.#keys = { value, at: Date.now() };
      value.catch(() => {
        this.#keys = undefined;
      });
    }
    return this.#keys.value;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function fetchJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
