import { checkReceipt, JsonText, type ReceiptCheck, Waybill, WaybillError } from '@waybill/client';
import { isAmbiguous } from '@waybill/proof';
import type { Command } from '../command.ts';
import { DATA, jsonTextOf } from '../input.ts';
import { localTime, partyName, visible } from '../output.ts';
import { CheckFailed, UsageError } from '../problems.ts';
import { promiseIn, verifyPromiseFile } from './promise-file.ts';
import { conclude, FILE_OPTIONS, hashOf, isReceipt, isTrustGiven, saveFile, verifyFile, verifyProofOf } from './proof-file.ts';
import { renewFile } from './renew.ts';

/** A link leads to the service that has the receipt. That service gets no key, because it may not be the one of the profile. */
function serviceOf(receipt: string, own: () => Waybill): Waybill {
  return /^https?:\/\//.test(receipt) && URL.canParse(receipt) ? new Waybill({ baseUrl: new URL(receipt).origin }) : own();
}

const WORDS: Record<ReceiptCheck['content'], string> = {
  matches: 'matches what the receipt says',
  differs: 'DIFFERS from what the receipt says',
  unknown: 'can’t be recomputed: the sender shows a minimal receipt',
};

const JSON_WORDS: Record<NonNullable<ReceiptCheck['jsonBytes']>, string> = {
  matches: ', byte for byte',
  differs: ' as a value, but not byte for byte: spaces, order of keys, digits or repeated keys differ',
  unknown: ' as a value: the receipt is from before the hash of the text was recorded',
};
const AMBIGUOUS =
  ' as one value, but it is not the text that was sent, and it has repeated keys, or numbers that a double rounds: others may read another value from it';
const MINIMAL =
  'Not verified: the log has the content hash, but who sent what, to whom and when is the word of the service, because the sender shows a minimal receipt. Ask a party of the message for its proof (.waybill-proof).';

/** A sender with minimal receipts shows the envelope only to the parties. The proof of its hash is public all the same. */
async function publicProof(waybill: Waybill, receipt: string, signal: AbortSignal): Promise<string> {
  try {
    return await waybill.receiptProof(receipt, { format: 'bundle', signal });
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code !== 'forbidden') throw error;
    return waybill.receiptProof(receipt, { signal });
  }
}

/** The file name of a proof: the id of its message, or the token of its receipt. */
function fileNameOf(proof: string, given: string): string {
  const isBundle = proof.startsWith('{');
  const id: unknown = isBundle ? JSON.parse(JSON.parse(proof).envelope).id : undefined;
  const name = /^(msg|rcpt)_\w{1,64}$/.exec(String(id ?? given.split('/').at(-1)))?.[0] ?? 'message';
  return `${name}.${isBundle ? 'waybill-proof' : 'tlog-proof'}`;
}

export const proofs: Command[] = [
  {
    name: 'schema check',
    args: '',
    help: 'Checks JSON against a schema: that of your inbox, one in a file, or the one that a recipient publishes. Exit code 1 if it does not pass.',
    options: {
      data: DATA,
      schema: { type: 'string', value: '<json>', help: 'A schema: as it is, from a file (@schema.json) or from stdin (-)' },
      to: { type: 'string', value: '<handle>', help: 'The schema that this recipient publishes' },
      type: { type: 'string', value: '<type>', help: 'With --to: the schema for messages of this type' },
    },
    examples: ['waybill schema check --to globex --data @order.json', 'waybill schema check --schema @schema.json --data @order.json'],
    run: async (call) => {
      const { options, output, waybill, signal } = call;
      const [json, schema, to] = [await jsonTextOf(call), await jsonTextOf(call, 'schema'), options.text('to')];
      if (to !== undefined && schema !== undefined) throw new UsageError('Give --to or --schema, not both.');
      if (to !== undefined && json === undefined) throw new UsageError('Give the JSON to check: --data @order.json');
      const body = new JsonText(`{${[schema && `"schema":${schema}`, json && `"json":${json}`].filter(Boolean).join(',')}}`);
      const type = options.text('type');
      if (to === undefined && type !== undefined) throw new UsageError('Give --type with --to.');
      const repeatable = { signal, isRepeatable: true };
      const checked =
        to === undefined
          ? await waybill().request('POST /v1/inbox/schema/check', { body }, repeatable)
          : await waybill().request('POST /v1/schema-check', { query: { to, ...(type !== undefined && { type }) }, body }, repeatable);
      const ofSchema = 'schema' in checked ? checked.schema.errors.map((one) => ({ ...one, where: 'schema' })) : [];
      const problems = [...ofSchema, ...(checked.validation?.errors ?? []).map((one) => ({ ...one, where: 'json' }))];
      const status = ofSchema.length > 0 ? 'invalid schema' : (checked.validation?.status ?? 'valid schema');
      const isBad = ofSchema.length > 0 || status === 'failed';
      output.result(checked, () =>
        [
          output.paint(isBad ? 'red' : 'green', status),
          ...problems.map(({ where, path, message }) => `  ${where} ${visible(path || '/')}: ${visible(message)}`),
        ].join('\n'),
      );
      if (isBad) throw new CheckFailed();
    },
  },
  {
    name: 'receipt verify',
    args: '<receipt|file>',
    help: 'Verifies a proof in a file (.waybill-proof or .tlog-proof), asking nobody; or a public receipt, whose hashes it recomputes and whose proof it gets; or the promise in the response to a send, which it compares with the log (exit code 5 while it is not due, or no witness of your policy says that it is overdue, 1 if it was broken). Compares JSON and files that you have. Give a key of a log that you trust, or a policy. Exit code 1 if something is wrong, 2 if there is nothing to verify, 6 if nothing is wrong but you gave no key to trust. Needs no API key.',
    options: {
      ...FILE_OPTIONS,
      data: DATA,
      file: { type: 'string', short: 'f', value: '<path>', multiple: true, help: 'A file that must be among those of the message' },
      log: { type: 'string', value: '<url>', help: 'For a promise: the service or the log that must have kept it' },
    },
    examples: [
      'waybill receipt verify order.waybill-proof --policy partners.policy --file scan.tiff',
      'waybill receipt verify order.waybill-proof --policy partners.policy --sender-key <base64> --known-keys keys.txt',
      'waybill receipt verify message.tlog-proof --vkey waybill.example.com/log+… --content-hash sha256:…',
      'waybill receipt verify https://waybill.example.com/r/rcpt_… --vkey waybill.example.com/log+…',
      'waybill receipt verify sent.json --log https://waybill.example.com --vkey waybill.example.com/log+…',
      'waybill receipt verify rcpt_… --vkey waybill.example.com/log+… --data @order.json --file scan.tiff',
    ],
    run: async (call) => {
      const {
        args: [given = ''],
        options,
        waybill,
        signal,
      } = call;
      if (!isReceipt(given)) {
        const promised = promiseIn(given);
        return promised ? verifyPromiseFile(call, promised) : verifyFile(call, given);
      }
      const service = serviceOf(given, waybill);
      const receipt = await service.receipt(given, { signal });
      const jsonText = await jsonTextOf(call);
      const { content, json, jsonBytes } = checkReceipt(receipt, jsonText);
      const known = new Set(receipt.files.map(({ sha256 }) => sha256));
      const files: { path: string; result: 'matches' | 'differs' }[] = [];
      for (const path of options.list('file')) files.push({ path, result: known.has(await hashOf(path, signal)) ? 'matches' : 'differs' });
      // The text of an older message is not known, so there is nothing to compare repeated keys and long numbers with.
      const isOther = jsonText !== undefined && json === 'matches' && jsonBytes === 'differs' && isAmbiguous(jsonText);
      const isBad = content === 'differs' || json === 'differs' || isOther || files.some(({ result }) => result === 'differs');
      const jsonWords = isOther ? AMBIGUOUS : JSON_WORDS[jsonBytes ?? 'unknown'];
      const lines = [
        `${receipt.id} from ${visible(partyName(receipt.from.party))} to ${visible(partyName(receipt.to.party))}, ${localTime(receipt.received_at)}`,
        `content_hash ${WORDS[content]}`,
        ...(json === undefined ? [] : [`The JSON ${json}${json === 'matches' ? jsonWords : ''}`]),
        ...files.map(({ path, result }) => `${visible(path)} ${result}`),
      ];
      const found = { id: receipt.id, content, json: json ?? null, json_bytes: jsonBytes ?? null, files };
      // The word of a service is no proof. Only a log whose key the caller knows can prove something.
      if (!isTrustGiven(call)) return conclude(call, { ...found, checks: [], verdict: isBad ? 'failed' : 'untrusted' }, lines);
      const proof = await publicProof(service, given, signal);
      const host = URL.parse(given)?.host;
      const compared = { isTlogProof: !proof.startsWith('{'), contentHash: receipt.content_hash, json: jsonText, host };
      const { checks, verdict, content_hash } = await verifyProofOf(call, proof, compared);
      if (isBad || content_hash !== receipt.content_hash) return conclude(call, { ...found, checks, verdict: 'failed' }, lines);
      const isMinimal = content === 'unknown' && verdict === 'verified';
      conclude(call, { ...found, checks, verdict: isMinimal ? 'untrusted' : verdict }, lines, isMinimal ? MINIMAL : undefined);
    },
  },
  {
    name: 'receipt proof',
    args: '<message|receipt>',
    help: 'Downloads the proof of a message into a file that verifies without the service, and waits until the message is in the log. With msg_… as a party of the message, with its JSON; with a receipt’s URL or token without a key.',
    options: {
      output: { type: 'string', short: 'o', value: '<file>', help: 'Where to save it; - prints it' },
      'without-json': { type: 'boolean', help: 'Of your own message: only the hash of the JSON, not the JSON' },
    },
    examples: ['waybill receipt proof msg_…', 'waybill receipt proof https://waybill.example.com/r/rcpt_… -o order-4711.waybill-proof'],
    run: async ({ args: [given = ''], options, output, io, waybill, signal }) => {
      const proof = given.startsWith('msg_')
        ? await waybill().proof(given, { contents: !options.is('without-json'), signal })
        : await publicProof(serviceOf(given, waybill), given, signal);
      const file = options.text('output') ?? fileNameOf(proof, given);
      // Written byte for byte, because another newline would make another file.
      if (file === '-') return void io.stdout.write(proof);
      await saveFile(file, proof);
      output.result(
        { file },
        () => `Saved ${visible(file)}. Verify it with: waybill receipt verify ${visible(file)} --vkey <the key of the log>`,
      );
    },
  },
  {
    name: 'receipt renew',
    args: '<file>',
    help: 'Extends a proof in a file (.waybill-proof), before the certificate of its timestamp ends: adds what the service has by now, as a party of the message, or with --receipt without a key. What the file has stays in it, and a newer proof that lacks or contradicts it is refused. With --tsa, a timestamp authority of your choice stamps the file itself; the service is not asked.',
    options: {
      ...FILE_OPTIONS,
      receipt: { type: 'string', value: '<receipt>', help: 'The URL or token of the receipt, to ask without a key' },
      tsa: { type: 'string', value: '<url>', help: 'A timestamp authority (RFC 3161) that shall stamp the file itself' },
      output: { type: 'string', short: 'o', value: '<file>', help: 'Where to save it; by default, the file is replaced' },
    },
    examples: [
      'waybill receipt renew order.waybill-proof --vkey waybill.example.com/log+…',
      'waybill receipt renew order.waybill-proof --tsa https://tsa.example.com --tsa-cert root.pem -o order-2030.waybill-proof',
    ],
    run: (call) => {
      const { args, options, waybill, signal } = call;
      const receipt = options.text('receipt');
      return renewFile(call, args[0] ?? '', (id) =>
        receipt === undefined ? waybill().proof(id, { signal }) : publicProof(serviceOf(receipt, waybill), receipt, signal),
      );
    },
  },
];
