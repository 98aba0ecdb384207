import type { WebhookDelivery } from '../../api/schema.ts';

type Request = WebhookDelivery['attempts'][number]['request'];

const SIGNATURES = ['waybill-signature', 'webhook-signature'];

/** A command that posts the same body again, unsigned. Values that are hidden here become variables of the shell. */
export function curlFor(url: string, request: Request, body: string): string {
  const headers = request?.headers ?? [{ name: 'content-type', value: 'application/json' }];
  const lines = headers
    .filter(({ name }) => !SIGNATURES.includes(name))
    .map(
      ({ name, value }) =>
        `  -H ${value === null ? `"${name}: $${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}"` : quoted(`${name}: ${value}`)} \\\n`,
    );
  return `curl ${quoted(request?.url ?? url)} \\\n${lines.join('')}  --data-binary ${quoted(body)}\n`;
}

/** Within single quotes, a shell interprets only the closing quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
