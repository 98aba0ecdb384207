import type { Session } from '../../api/schema.ts';
import { visible } from '../../ui/name.tsx';

const PROVIDERS: Record<Session['provider'], string> = {
  email: 'an email code or passkey',
  google: 'Google',
  microsoft: 'Microsoft',
  oidc: 'your organisation’s provider',
};

export const providerName = (provider: Session['provider']): string => PROVIDERS[provider];

const PROOFS: Record<Session['provider'], string> = {
  email: 'email verified',
  google: 'verified by Google',
  microsoft: 'verified by Microsoft',
  oidc: 'verified by your organisation’s provider',
};

export const sessionProof = (provider: Session['provider'], passkey: string | null): string =>
  passkey === null ? PROOFS[provider] : passkey === '' ? 'with a passkey' : `with the passkey ${visible(passkey)}`;

/** The first match counts: most browsers also name the ones further down in their user agent. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
];

export function browserName(userAgent: string): string {
  const found = (among: typeof BROWSERS) => among.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
