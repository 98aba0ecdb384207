/**
 * Returns the page to open after the sign-in. Anyone can make a link that names one, so only our own pages are opened. Otherwise it is the
 * inbox.
 */
export function safePath(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return '/inbox';
  const { origin, pathname, search, hash } = new URL(next, location.origin);
  // “//elsewhere” and “/\elsewhere” are other hosts, and the sign-in page would redirect to itself.
  const isOurs = origin === location.origin && /^\/(?![/\\])/.test(next) && !/^\/{2}/.test(pathname) && pathname !== '/sign-in';
  return isOurs ? pathname + search + hash : '/inbox';
}
