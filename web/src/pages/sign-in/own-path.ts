/** Where to go on. A link can say so, and anybody can make one: it leads to a page of our own or to the inbox. */
export function ownPath(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return '/inbox';
  const { origin, pathname, search, hash } = new URL(next, location.origin);
  // “//elsewhere” and “/\elsewhere” are other hosts; whoever is sent back here would come no further.
  const isOurs = origin === location.origin && /^\/(?![/\\])/.test(next) && !/^\/{2}/.test(pathname) && pathname !== '/sign-in';
  return isOurs ? pathname + search + hash : '/inbox';
}
