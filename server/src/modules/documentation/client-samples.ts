import { isRecord } from '../../contract/records.ts';
import { commandSample } from './command-samples.ts';
import type { ClientLanguage, Example } from './recorded-examples.ts';

type Request = Example['request'];

/**
 * The same request with the clients for TypeScript and Python, and with the command. `template` is its path in the table, such as
 * `/v1/messages/{id}`.
 */
export const CLIENT_SAMPLES: Record<ClientLanguage, ClientSample> = {
  typescript: { label: 'TypeScript', language: 'ts', write: typescriptSample },
  python: { label: 'Python', language: 'python', write: pythonSample },
  cli: { label: 'CLI', language: 'sh', write: cliSample },
};

interface ClientSample {
  label: string;
  language: string;
  write(template: string, request: Request): string | undefined;
}

interface SampleInput {
  path: Record<string, string>;
  query: Record<string, string | number | boolean>;
}

function typescriptSample(template: string, request: Request): string {
  const { method, body, headers } = request;
  const key = headers['Idempotency-Key'];
  const proven = provenBy(template, request);
  const call = isSend(method, template)
    ? `send(${typescript(body)}${key === undefined ? '' : `, { idempotencyKey: '${key}' }`})`
    : proven !== undefined
      ? `${proven.ofReceipt ? 'receiptProof' : 'proof'}('${proven.id}')`
      : `request('${method} ${template}', ${typescript(inputOf(template, request))})`;
  const options = request.by === 'key' ? "{ baseUrl: '$URL', key: 'wb_…' }" : "{ baseUrl: '$URL' }";
  return `import { Waybill } from '@waybill/client';

const waybill = new Waybill(${options});
const result = await waybill.${call};
console.log(result);`;
}

/** The client for Python always has a key. */
function pythonSample(template: string, request: Request): string | undefined {
  const { method, body, headers } = request;
  if (request.by !== 'key') return undefined;
  const { path, query } = sampleInput(template, request.path);
  const proven = provenBy(template, request);
  if (proven) return `${PYTHON_CLIENT}\nresult = waybill.proof("${proven.id}")\nprint(result)`;
  if (isSend(method, template) && isRecord(body)) {
    const { to, ...rest } = body;
    const fields = { ...rest, ...('Idempotency-Key' in headers && { idempotency_key: headers['Idempotency-Key'] }) };
    return `${PYTHON_CLIENT}
result = waybill.send(
    ${python(to)},
${Object.entries(fields)
  .map(([name, value]) => `    ${name}=${python(value, 4)},\n`)
  .join('')})
print(result)`;
  }
  const name = `${method.toLowerCase()}_${template.slice('/v1/'.length).replace(/[{}]/g, '').replace(/\W+/g, '_')}`;
  const values = [
    ...Object.values(path).map((value) => python(value)),
    ...(body === undefined ? [] : [python(body)]),
    ...Object.entries(query).map(([field, value]) => `${field === 'from' ? 'from_' : field}=${python(value)}`),
  ];
  return `${PYTHON_CLIENT.replace('import Waybill', 'import Waybill, operations')}
result = waybill.do(operations.${name}(${values.join(', ')}))
print(result)`;
}

function cliSample(template: string, request: Request): string | undefined {
  const { method, body, headers } = request;
  return commandSample(`${method} ${template}`, { ...sampleInput(template, request.path), body: isRecord(body) ? body : {}, headers });
}

const PYTHON_CLIENT = `from waybill import Waybill

waybill = Waybill("wb_…", "$URL")`;

function isSend(method: string, template: string): boolean {
  return method === 'POST' && template === '/v1/messages';
}

/** Proofs are texts, for which clients have methods of their own. */
function provenBy(template: string, { path: asked }: Request): { id: string; ofReceipt: boolean } | undefined {
  if (!/^\/v1\/(messages|receipts)\/\{\w+\}\/proof$/.test(template)) return undefined;
  const { id, token } = sampleInput(template, asked).path;
  return { id: id ?? token ?? '', ofReceipt: token !== undefined };
}

function inputOf(template: string, { path: asked, body }: Request): Record<string, unknown> {
  const { path, query } = sampleInput(template, asked);
  return {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  };
}

function sampleInput(template: string, asked: string): SampleInput {
  const [path = '', query = ''] = asked.split('?');
  const values = path.split('/');
  const names = template.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  return {
    path: Object.fromEntries(names.flatMap((name, i) => (name === undefined ? [] : [[name, decodeURIComponent(values[i] ?? '')]]))),
    query: Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, typed(value)])),
  };
}

function typed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function typescript(value: unknown): string {
  const written = JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
  const line = written.replace(/\n\s*/g, ' ');
  return (line.length <= 60 ? line : written).replace(/"([^"'\\]*)"(?!:)/g, "'$1'");
}

function python(value: unknown, indent = 0): string {
  const line = pythonLine(value);
  if (line.length <= 70 || typeof value !== 'object' || value === null) return line;
  const inner = ' '.repeat(indent + 4);
  const members = Array.isArray(value)
    ? value.map((one) => `${inner}${python(one, indent + 4)},\n`)
    : Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${python(one, indent + 4)},\n`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join('')}${' '.repeat(indent)}${close}`;
}

function pythonLine(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLine).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${pythonLine(one)}`)
    .join(', ')}}`;
}
