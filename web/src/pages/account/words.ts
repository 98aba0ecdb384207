import type { Session } from '../../api/schema.ts';

const PROVIDERS: Record<Session['provider'], string> = {
  email: 'a code by e-mail',
  google: 'Google',
  microsoft: 'Microsoft',
  oidc: 'your organisation’s provider',
};

export const providerName = (provider: Session['provider']): string => PROVIDERS[provider];

/** The first that fits: those further down are named by those further up, too. */
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

/** “Firefox on Windows”, as far as a browser tells. */
export function browserIn(userAgent: string): string {
  const found = (among: typeof BROWSERS) => among.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  if (browser === undefined) return system === undefined ? 'An unknown program' : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
