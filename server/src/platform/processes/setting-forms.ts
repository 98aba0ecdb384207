import { isIP } from 'node:net';

export function isContact(text: string): boolean {
  return /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text) && URL.canParse(text);
}

export function isMailServer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !isHost(url.hostname.replace(/^\[(.*)\]$/, '$1'))) return false;
  const isBare = ['', '/'].includes(url.pathname) && url.hash === '' && ['', '?ignoreTLS=true'].includes(url.search);
  return isBare && isPercentEncoded(url.username + url.password);
}

export function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || !isHost(url.hostname.replace(/^\[(.*)\]$/, '$1'))) return false;
  const isBare = url.pathname === '/' && url.hash === '' && url.search === '';
  return isBare && url.port !== '0' && isPercentEncoded(url.username + url.password);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function isBoolean(value: string): boolean {
  return value === 'true' || value === 'false';
}

export function isName(text: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text);
}

export function isHost(text: string): boolean {
  return isIP(text) !== 0 || isName(text);
}

/** An address of HTTP without user name and password. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['https:', 'http:'].includes(url.protocol) && url.username === '' && url.password === '';
}

export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const isPlain = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128));
  return version !== 0 && isPlain && rest.length === 0;
}

export function isNameServer(text: string): boolean {
  const [, ipv6 = '', ipv4 = '', port] = /^(?:\[(.+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(text) !== 0 || ((isIP(ipv6) === 6 || isIP(ipv4) === 4) && Number(port) >= 1 && Number(port) <= 65_535);
}
