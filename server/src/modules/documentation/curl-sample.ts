import type { Example } from './recorded-examples.ts';

const LINE_MAX_CHARS = 44;

/** The request as a command, with the key in `$KEY` and cookies in the file `jar`, as in the guides. */
export function curlSample({ method, path, by, headers, body }: Example['request']): string {
  const target = /[?&]/.test(path) ? `"$URL${path}"` : `$URL${path}`;
  const isChange = method !== 'GET';
  const parts = [
    `curl -s ${isPlain(method, body) ? '' : `-X ${method} `}${target}`,
    ...(by === 'key' ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(by === 'person' ? [`-b jar${isChange ? ' -H "Origin: $URL"' : ''}`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d '${jsonText(body).replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(' \\\n  ');
}

/** curl picks this method by itself. */
function isPlain(method: string, body: unknown): boolean {
  return method === (body === undefined ? 'GET' : 'POST');
}

function jsonText(body: unknown): string {
  if (typeof body === 'string') return body;
  const line = JSON.stringify(body);
  return line.length <= LINE_MAX_CHARS ? line : JSON.stringify(body, null, 2);
}
