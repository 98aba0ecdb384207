import { WaybillError } from './errors.ts';
import { JsonText } from './json-text.ts';
import type { Message } from './message.ts';
import { backoffMs, pause } from './pause.ts';
import type { RequestOptions } from './transport.ts';
import type { UploadedFile } from './upload.ts';

/** The id of an upload, or what `upload` returned: then the hash is checked. */
export type SentFile = string | UploadedFile;

interface Contents {
  /** Your label for the kind of message, such as `order`. */
  type?: string | undefined;
  subject?: string | undefined;
  /** A text for people. */
  note?: string | undefined;
  /** Any JSON value. */
  json?: unknown;
  /** JSON as text, in place of `json`: it arrives byte for byte. */
  jsonText?: string | undefined;
  /** Uploads, or a `Blob` or `File`, which is uploaded first. */
  files?: readonly (SentFile | Blob)[] | undefined;
}

/** A message to send: to a handle (`globex`, `globex/orders`), or in reply to a message. */
export type SendRequest = Contents &
  (
    | { to: string; in_reply_to?: undefined; acknowledge?: undefined }
    | { in_reply_to: string; to?: string | undefined; acknowledge?: SaidWithReply | undefined }
  );

/** What the recipient of a message says of it, together with a reply. */
export interface SaidWithReply {
  status: 'accepted' | 'rejected' | 'processed';
  /** A text for the sender. */
  reason?: string | null | undefined;
}

export interface Reply extends Contents {
  /** Acknowledges the message in the same request: both are done, or neither. Not with a signing key, which signs an acknowledgement on its own. */
  acknowledge?: SaidWithReply | undefined;
  /** The handle of the other party, perhaps with another segment. Needed to sign a reply to somebody whose business has claimed a handle since. */
  to?: string | undefined;
}

export interface SendOptions extends Omit<RequestOptions, 'isRepeatable'> {
  /** `logged`: waits some seconds until the log has the message. Then `proof` has the proof; if it takes longer, there is none yet. */
  wait?: 'logged' | undefined;
  /** One for each message, such as an order number. Random by default, which protects from repeats by this call only. */
  idempotencyKey?: string | undefined;
}

export function bodyOf({ json, jsonText, files: _, ...fields }: SendRequest, files: readonly SentFile[]): JsonText {
  if (json !== undefined && jsonText !== undefined) throw new TypeError('Give json or jsonText, not both.');
  const ids = files.map((file) => (typeof file === 'string' ? file : file.id));
  const rest = JSON.stringify({ ...fields, ...(ids.length > 0 && { files: ids }), json });
  if (jsonText === undefined) return new JsonText(rest);
  // Text that is not JSON could add fields to the request.
  JSON.parse(jsonText);
  return new JsonText(`${rest.slice(0, -1)},"json":${jsonText}}`);
}

/** A message that was sent, now or by an earlier request with the same idempotency key. */
export type SentMessage = Message & {
  /** Whether an earlier request with the same idempotency key had sent the message, so that this request sent nothing. */
  isReplayed: boolean;
  /** Whether that earlier request is known to have asked for another message: the key was used twice by mistake. */
  bodyDiffers: boolean;
  /** The signed promise that the message will be in the log. Keep it until you have the proof. Undefined: the service promises nothing at present. */
  promise: string | undefined;
  /** The proof that the log has the message, if the request waited for it. */
  proof: string | undefined;
};

/** The added fields are not enumerable, because enumerable fields are those of the envelope. */
export function sentMessage(message: Message & { promise?: string; proof?: string }, headers: Headers): SentMessage {
  const said = (name: string) => ({ value: headers.get(name) === 'true' });
  const marks = { isReplayed: said('idempotent-replayed'), bodyDiffers: said('idempotent-body-differs') };
  const given = (value: string | undefined) => ({ value, enumerable: false });
  const promised = { promise: given(message.promise), proof: given(message.proof) };
  return Object.defineProperties(message, { ...marks, ...promised }) as SentMessage;
}

/** Files over 100 MB have no hash yet. */
export function checkHashes(message: Message, files: readonly SentFile[]): void {
  for (const [index, file] of files.entries()) {
    const stored = message.files[index];
    if (typeof file === 'string' || !stored || stored.sha256 === null || stored.sha256 === file.sha256) continue;
    throw new WaybillError(
      'hash_mismatch',
      `The service has other bytes of ${file.filename} than were read here; message ${message.id} was sent.`,
    );
  }
}

/** Polls until all files have a hash. */
export async function confirmHashes(
  read: (id: string) => Promise<Message>,
  message: Message,
  files: readonly UploadedFile[],
  signal: AbortSignal | undefined,
): Promise<Message> {
  let latest = message;
  for (let looks = 1; latest.files.some(({ sha256 }) => sha256 === null); looks++) {
    await pause(backoffMs(Math.min(looks, 4)), signal);
    latest = await read(message.id);
  }
  checkHashes(latest, files);
  return latest;
}
