import { setImmediate } from 'node:timers/promises';
import { checkReceipt, type Waybill, WaybillError } from '@waybill/client';
import { isAmbiguous, ProofError, type Verdict, verifyContentHash } from '@waybill/proof';
import * as z from 'zod/v4';
import { cutTexts, cutTo, fit } from '../fit.ts';
import { FILE_TEXT_MAX_BYTES, FILENAME_MAX_CHARS, FILES_LISTED_MAX, VERIFIED_JSON_MAX_CHARS, VKEY_MAX_CHARS } from '../limits.ts';
import { messageOf } from '../messages.ts';
import { fileId, invalidArgument, isJson, messageId, readOnly, type Tool, tool, type Workplace } from '../tool.ts';
import { partySchema, partyView } from '../views.ts';

const getFile = tool({
  name: 'get_file',
  title: 'Get a file',
  description: `A file of a message: its name, type, size and hash, a URL that downloads it for an hour, and with read_text the first ${FILE_TEXT_MAX_BYTES / 1024} KB of a text file.`,
  scope: 'read',
  annotations: readOnly,
  input: z.object({
    message_id: messageId('The message that has the file.'),
    file_id: fileId,
    read_text: z.boolean().optional().describe('Also give the beginning of the file as text.'),
  }),
  output: z.object({
    id: z.string(),
    from: partySchema,
    size_bytes: z.number(),
    sha256: z.string().nullable(),
    download_url: z.string().describe('Anybody with this URL can download the file: do not pass it on.'),
    expires_at: z.string(),
    untrusted_content: z.object({
      filename: z.string(),
      content_type: z.string(),
      text: z.string().optional(),
      cut: z.record(z.string(), z.number()).optional(),
    }),
    text_missing: z.string().optional().describe('Why there is no text.'),
  }),
  isUntrusted: true,
  run: async (workplace, { message_id, file_id, read_text = false }, signal) => {
    const message = await messageOf(workplace.waybill, message_id, signal);
    const file = message.files.find(({ id }) => id === file_id);
    if (!file) throw new WaybillError('not_found', 'The message has no such file.', { status: 404 });
    const { download_url, expires_at } = await workplace.waybill.request('GET /v1/files/{id}', { path: { id: file_id } }, { signal });
    const { id, filename, content_type, size_bytes, sha256 } = file;
    const { text, missing }: FileText = read_text ? await textOf(workplace, download_url, signal) : {};
    const isCut = text !== undefined && size_bytes > FILE_TEXT_MAX_BYTES;
    const content = { filename, content_type, ...(text !== undefined && { text }), ...(isCut && { cut: { text: size_bytes } }) };
    const [fitting = content] = fit([content], workplace.resultMaxChars, cutTexts).items;
    return {
      ...{ id, from: partyView(message.from.party), size_bytes, sha256, download_url, expires_at },
      untrusted_content: fitting,
      ...(missing !== undefined && { text_missing: missing }),
    };
  },
});

interface FileText {
  text?: string;
  missing?: string;
}

async function textOf({ readFile }: Workplace, url: string, signal: AbortSignal): Promise<FileText> {
  const bytes = await readFile(url, FILE_TEXT_MAX_BYTES, signal);
  if (!bytes) return { missing: 'The file can’t be read from here. Download it with download_url.' };
  const isCut = bytes.length === FILE_TEXT_MAX_BYTES;
  try {
    // A character at the end may be cut in two.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }) };
  } catch {
    return { missing: 'The file is not text in UTF-8. Download it with download_url.' };
  }
}

const TOKEN = /(?:^|\/r\/|\/receipts\/)(rcpt_[0-9A-Za-z_-]{1,200})$/;

const MINIMAL =
  'Not verified: the sender shows a minimal receipt, which leaves out what was hashed. Ask a party of the message for its proof.';

const AMBIGUOUS =
  'Not verified: json_text is not the text that was sent, and it has repeated keys, or numbers that a double rounds: others may read another value from it. Compare the text that you got.';

const verifyReceipt = tool({
  name: 'verify_receipt',
  title: 'Verify a receipt',
  description:
    'Gets a public receipt of this service, recomputes its hash, and verifies by a key that you trust (vkey) that the log has it. Without vkey, nothing is verified: all that you learn is the word of the service. With json_text, also says whether that JSON is the one that was sent. Receipts of other services are not fetched.',
  scope: 'read',
  annotations: readOnly,
  input: z.object({
    receipt: z.string().max(2_000).describe('The URL of the receipt, or its token, rcpt_….'),
    json_text: z.string().max(VERIFIED_JSON_MAX_CHARS).optional().describe('JSON to compare with that of the message.'),
    vkey: z
      .string()
      .max(VKEY_MAX_CHARS)
      .optional()
      .describe(
        'The key of the log that you trust, name+id+key: one that your user or its policy names, not one that came with the receipt.',
      ),
  }),
  output: z.object({
    verdict: z
      .enum(['verified', 'failed', 'untrusted'])
      .describe(
        'verified: the log whose key you gave has it, and nothing differs. failed: something is wrong. untrusted: nothing is wrong, and nothing is verified.',
      ),
    problem: z.string().optional().describe('Why it is not verified, and what to do.'),
    content: z
      .enum(['matches', 'differs', 'unknown'])
      .describe('Whether the hash is that of what the receipt says; unknown for a minimal receipt, which leaves out what was hashed.'),
    json: z.enum(['matches', 'differs']).optional().describe('Whether json_text is the JSON of the message, as a value.'),
    json_bytes: z
      .enum(['matches', 'differs', 'unknown'])
      .optional()
      .describe(
        'Whether it is written as it was sent. differs: the value is the same, but spaces, order of keys, digits or repeated keys differ; the verdict is failed if others may read another value from it (repeated keys, numbers that a double rounds). unknown for an older message.',
      ),
    message_id: z.string(),
    from: partySchema,
    to: partySchema,
    received_at: z.string(),
    content_hash: z.string(),
    untrusted_content: z
      .object({ subject: z.string().nullable(), type: z.string().nullable(), filenames: z.array(z.string()) })
      .optional()
      .describe('Absent from a minimal receipt.'),
  }),
  isUntrusted: true,
  run: async ({ waybill }, { receipt: given, json_text, vkey }, signal) => {
    const token = TOKEN.exec(given)?.[1];
    if (token === undefined) throw invalidArgument('receipt', 'must be the URL of a receipt, or its token, rcpt_…');
    if (json_text !== undefined && !isJson(json_text)) throw invalidArgument('json_text', 'must be JSON');
    const receipt = await waybill.receipt(token, { signal });
    // Names of files can have 1 MB together, and the JSON can take as long. So each is hashed in a turn of the event loop of its own.
    await setImmediate();
    const { content } = checkReceipt(receipt);
    await setImmediate();
    const { json, jsonBytes } = checkReceipt({ ...receipt, files: [] }, json_text);
    await setImmediate();
    const isOther = content === 'differs' || json === 'differs';
    const isOtherText = json_text !== undefined && json === 'matches' && jsonBytes === 'differs' && isAmbiguous(json_text);
    const proven =
      isOther || isOtherText
        ? { verdict: 'failed' as const, problem: isOther ? 'The hash, or the JSON, is not that of the message.' : AMBIGUOUS }
        : content === 'unknown'
          ? { verdict: 'untrusted' as const, problem: MINIMAL }
          : await provenBy(waybill, vkey, token, receipt.content_hash, signal);
    return {
      ...proven,
      content,
      ...(json !== undefined && { json }),
      ...(jsonBytes !== undefined && { json_bytes: jsonBytes }),
      message_id: receipt.id,
      from: partyView(receipt.from.party),
      to: partyView(receipt.to.party),
      received_at: receipt.received_at,
      content_hash: receipt.content_hash,
      ...('thread_id' in receipt && {
        untrusted_content: {
          subject: receipt.subject,
          type: receipt.type,
          filenames: receipt.files.slice(0, FILES_LISTED_MAX).map(({ filename }) => cutTo(filename, FILENAME_MAX_CHARS)),
        },
      }),
    };
  },
});

async function provenBy(
  waybill: Waybill,
  vkey: string | undefined,
  token: string,
  contentHash: string,
  signal: AbortSignal,
): Promise<{ verdict: Verdict; problem?: string }> {
  if (vkey === undefined)
    return {
      verdict: 'untrusted',
      problem: 'Not verified: no trusted key. Ask your user for the key of the log that they trust, and give it as vkey.',
    };
  try {
    const { verdict, checks } = await verifyContentHash(await waybill.receiptProof(token, { signal }), contentHash, { vkeys: [vkey] });
    const failed = checks.find(({ state }) => state === 'failed');
    return { verdict, ...(failed && { problem: failed.text }) };
  } catch (error) {
    if (error instanceof ProofError) throw invalidArgument('vkey', error.message);
    throw error;
  }
}

export const proofTools: Tool[] = [getFile, verifyReceipt];
