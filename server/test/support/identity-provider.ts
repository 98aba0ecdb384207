import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import { newAuthority } from './certificates.ts';
import { findOnLoopback } from './known-hosts.ts';

export const CLIENT = { id: 'waybill', secret: 'a secret with / and + and : in it' };

export interface IdentityProvider {
  issuer: string;
  /** The person who signs in from now on. */
  person: { sub: string; [claim: string]: unknown };
  /** The settings of the service for this provider. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

interface Options {
  serviceUrl: string;
  as?: 'oidc' | 'google';
  /** The host of the Internet that the provider plays, with TLS. */
  host?: string;
  /** The address is in the tokens, and not only in the userinfo response. */
  inToken?: boolean;
  authentication?: 'client_secret_basic' | 'client_secret_post';
}

/** Listens on loopback, with TLS if it plays a host of the Internet. */
export async function listenAs(host: string | undefined, listener: RequestListener): Promise<{ server: Server; url: string }> {
  const authority = newAuthority();
  const server = host === undefined ? createPlainServer(listener) : createTlsServer(authority.issue([host]), listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (host !== undefined) findOnLoopback(host, port, authority.cert);
  return { server: server as Server, url: host === undefined ? `http://127.0.0.1:${port}` : `https://${host}` };
}

export async function stopListening(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** A real OpenID Connect provider. It signs in the person that the test sets, without a password. */
export async function startIdentityProvider(options: Options): Promise<IdentityProvider> {
  const { serviceUrl, as = 'oidc', host, inToken = true, authentication = 'client_secret_basic' } = options;
  let handle: RequestListener = (_request, response) => response.end();
  const { server, url: issuer } = await listenAs(host, (request, response) => handle(request, response));
  const people = new Map<string, IdentityProvider['person']>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${serviceUrl}/auth/callback/${as}`],
        token_endpoint_auth_method: authentication,
      },
    ],
    clientAuthMethods: [authentication],
    claims: { openid: ['sub', 'hd'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !inToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/person/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...people.get(sub), sub }) }),
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({ clientId: CLIENT.id, accountId: ctx.oidc.session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    jwks: { keys: [{ ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: randomUUID() }] },
    cookies: { keys: [randomUUID()] },
  } as Configuration);
  const respond = provider.callback();
  handle = async (request, response) => {
    if (!request.url?.startsWith('/person/')) return respond(request, response);
    people.set(idp.person.sub, idp.person);
    await provider.interactionFinished(request, response, { login: { accountId: idp.person.sub } });
  };
  const name = as.toUpperCase();
  const idp: IdentityProvider = {
    issuer,
    person: { sub: 'nobody' },
    env: {
      ...(as === 'oidc' && { OIDC_ISSUER: issuer }),
      [`${name}_CLIENT_ID`]: CLIENT.id,
      [`${name}_CLIENT_SECRET`]: CLIENT.secret,
    },
    stop: () => stopListening(server),
  };
  return idp;
}
