import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { APIError } from '@better-auth/core/error';
import { createAuthorizationURL, type OAuth2Tokens, type OAuthProvider, verifyProviderIdToken } from '@better-auth/core/oauth2';
import { isRecord } from '../../contract/records.ts';
import { accountIdOf, type Claims } from './identity.ts';

export interface OpenIdSettings {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** One configuration for many issuers, as at Microsoft: `{tenantid}` in the issuer stands for the claim `tid`. */
  isMultiTenant?: boolean;
}

interface Discovery {
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
const DISCOVERY_CACHED_MS = 3_600_000;
/** A token with an unknown key makes the provider's keys be fetched again, but not more often than this. */
const KEYS_CACHED_AT_LEAST_MS = 10_000;
/** Only asymmetric signatures: with HMAC, anybody could sign with the public key. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const NO_USER_INFO: Record<string, unknown> = {};
const TENANT_ID = /^[0-9a-f-]{36}$/i;

/**
 * An OpenID Connect provider for better-auth: code flow with PKCE, state and nonce. The generic provider of better-auth fetches the
 * discovery document once at the start, so a provider that is unavailable then would stay unavailable. Its Google and Microsoft providers
 * send no nonce. docs/adr/0007-sign-in.md says why openid-client does not fit.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings;
  #discovery: { value: Promise<Discovery>; at: number } | undefined;
  #keys: { value: Promise<Jwk[]>; at: number } | undefined;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
  }

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
          authorizationEndpoint: (await this.#discover()).authorization_endpoint,
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

  #discover(): Promise<Discovery> {
    if (this.#discovery === undefined || Date.now() - this.#discovery.at > DISCOVERY_CACHED_MS) {
      const value = this.#fetchDiscovery();
      this.#discovery = { value, at: Date.now() };
      // The next sign-in tries again.
      value.catch(() => {
        this.#discovery = undefined;
      });
    }
    return this.#discovery.value;
  }

  async #fetchDiscovery(): Promise<Discovery> {
    const { name, issuer, isMultiTenant } = this.#settings;
    const discovery = (await fetchJson(`${issuer}/.well-known/openid-configuration`).catch((cause) => {
      throw new APIError('SERVICE_UNAVAILABLE', { message: `${name} can’t be reached at the moment.`, cause });
    })) as Partial<Discovery> as Discovery;
    const isRight = isMultiTenant || discovery.issuer?.replace(/\/$/, '') === issuer;
    if (!isRight) throw new APIError('SERVICE_UNAVAILABLE', { message: `${name} describes itself as another issuer.` });
    return discovery;
  }

  async #exchange(code: string, codeVerifier: string, redirectUri: string): Promise<OAuth2Tokens> {
    const { clientId, clientSecret } = this.#settings;
    const { token_endpoint, token_endpoint_auth_methods_supported: methods } = await this.#discover();
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri });
    const headers: Record<string, string> = {};
    if (methods === undefined || methods.includes('client_secret_basic')) {
      const pair = [clientId, clientSecret].map((part) => new URLSearchParams({ part }).toString().slice('part='.length)).join(':');
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else {
      body.set('client_id', clientId);
      body.set('client_secret', clientSecret);
    }
    const { id_token, access_token } = await fetchJson(token_endpoint, { method: 'POST', body, headers });
    return { idToken: text(id_token), accessToken: text(access_token) };
  }

  /** Returns undefined unless this provider issued the token, for us and for this sign-in. */
  async #claimsOf(idToken: string, accessToken: string | undefined, nonce: string): Promise<Claims | undefined> {
    const { clientId } = this.#settings;
    const discovery = await this.#discover();
    const isGenuine = await verifyProviderIdToken(
      {
        idToken: {
          jwks: ({ kid }) => this.#keyFor(kid),
          issuer: this.#settings.isMultiTenant ? undefined : discovery.issuer,
          audience: clientId,
          algorithms: ALGORITHMS,
          verifyClaims: (claims) => (claims['azp'] ?? clientId) === clientId && this.#isIssuerRight(claims, discovery),
        },
      } as Partial<OAuthProvider> as OAuthProvider,
      idToken,
      nonce,
    );
    if (!isGenuine) return undefined;
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as Claims;
    if (claims.email !== undefined || discovery.userinfo_endpoint === undefined || accessToken === undefined) return claims;
    // Many providers omit the address from the token and return it from the userinfo endpoint only.
    const { sub, name, email, email_verified } = await fetchJson(discovery.userinfo_endpoint, {
      headers: { authorization: `Bearer ${accessToken}` },
    }).catch(() => NO_USER_INFO);
    return sub === claims.sub ? { name, ...claims, email, email_verified } : claims;
  }

  #isIssuerRight({ iss, tid, sub }: Record<string, unknown>, { issuer }: Discovery): boolean {
    if (typeof sub !== 'string' || sub === '') return false;
    if (!this.#settings.isMultiTenant) return iss === issuer;
    return typeof tid === 'string' && TENANT_ID.test(tid) && iss === issuer.replace('{tenantid}', tid);
  }

  async #keyFor(kid: string | undefined): Promise<KeyObject> {
    const find = (keys: Jwk[]) => (kid === undefined && keys.length === 1 ? keys[0] : keys.find((key) => key.kid === kid));
    let key = find(await this.#fetchKeys(Number.POSITIVE_INFINITY));
    key ??= find(await this.#fetchKeys(KEYS_CACHED_AT_LEAST_MS));
    if (!key) throw new Error('the token is signed with a key that its provider does not publish');
    return createPublicKey({ key, format: 'jwk' });
  }

  #fetchKeys(maxAgeMs: number): Promise<Jwk[]> {
    if (this.#keys === undefined || Date.now() - this.#keys.at > Math.min(maxAgeMs, DISCOVERY_CACHED_MS)) {
      const value = this.#discover()
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
  if (!response.ok) throw new Error(`${new URL(url).host} responded with ${response.status}`);
  const body: unknown = await response.json();
  if (!isRecord(body)) throw new Error(`${new URL(url).host} sent no JSON object`);
  return body;
}
