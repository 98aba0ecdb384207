import type { SignInProvider } from '../../contract/people.ts';
import type { OpenIdSettings } from './openid-provider.ts';

export type ProviderSettings = OpenIdSettings & { id: SignInProvider };

/** A provider without an id and a secret is not offered. */
interface ProviderConfig {
  googleClientId: string | undefined;
  googleClientSecret: string | undefined;
  microsoftTenant: string;
  microsoftClientId: string | undefined;
  microsoftClientSecret: string | undefined;
  oidcName: string;
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
}

export function providersOf(config: ProviderConfig): ProviderSettings[] {
  const candidates: [
    id: SignInProvider,
    name: string,
    issuer: string | undefined,
    clientId: string | undefined,
    clientSecret: string | undefined,
  ][] = [
    ['google', 'Google', 'https://accounts.google.com', config.googleClientId, config.googleClientSecret],
    [
      'microsoft',
      'Microsoft',
      `https://login.microsoftonline.com/${config.microsoftTenant}/v2.0`,
      config.microsoftClientId,
      config.microsoftClientSecret,
    ],
    ['oidc', config.oidcName, config.oidcIssuer, config.oidcClientId, config.oidcClientSecret],
  ];
  return candidates.flatMap(([id, name, issuer, clientId, clientSecret]) =>
    issuer !== undefined && clientId !== undefined && clientSecret !== undefined
      ? [{ id, name, issuer, clientId, clientSecret, isMultiTenant: id === 'microsoft' }]
      : [],
  );
}
