import { keysOf } from './records.ts';

/** The catalogue of all errors of the API. Documentation and OpenAPI are generated from it. */
export const errorCatalogue = {
  unauthorized: [401, 'The API key is missing, malformed, unknown or revoked; or nobody is signed in.'],
  forbidden: [
    403,
    'The key may only read, and this endpoint needs scope read_write; you are not a member of the business, or not one who may do this; an invitation is for another mailbox; a signed URL was altered or has expired; a request of a signed-in person came from another site; or the business accepts no messages from people without a handle.',
  ],
  not_found: [404, 'It does not exist, or you have no access to it.'],
  not_logged: [404, 'The message was delivered before the service had a log, so there is no proof of it.'],
  unknown_recipient: [404, 'No business has claimed the handle in `to`.'],
  party_required: [403, 'An identity-provider account must claim a handle before it can send.'],
  reply_unaddressable: [400, 'The demo inbox has no threads, so you can’t reply to or from it.'],
  reply_recipient_mismatch: [400, '`to` was given along with `in_reply_to`, but is not the other party of that message.'],
  sender_blocked: [403, 'The recipient has blocked this sender.'],
  rate_limited: [429, 'Too many requests. `Retry-After` says how many seconds to wait.'],
  quota_exceeded: [429, 'A limit of the account is used up. `details` names it, `Retry-After` says when it resets.'],
  validation_error: [400, 'The request has the wrong shape. `details` lists each problem.'],
  invalid_json: [400, 'The body, or its `json`, is not valid JSON in UTF-8.'],
  json_too_large: [413, '`json`, or the body around it, is too large.'],
  file_too_large: [413, 'A file is larger than this way of sending accepts.'],
  upload_not_found: [404, 'The id of an upload, in `files` or in the path, is unknown or has expired.'],
  upload_incomplete: [400, 'The bytes of an upload were never PUT, or not all of its parts.'],
  invalid_webhook_url: [
    400,
    'The webhook URL is not HTTPS, has a user name or control characters in it, or its host is not public or can’t be resolved.',
  ],
  invalid_signature: [
    400,
    'The request has a signature that is not genuine, not recent, does not cover what it must, or is not by a valid signing key of the agent; or only some of the headers of a signature.',
  ],
  invalid_schema: [400, 'The inbox JSON Schema does not compile.'],
  method_not_allowed: [405, 'The path exists, but not with this method. `Allow` lists the ones it has.'],
  unsupported_media_type: [415, 'The body has a content type or encoding that this endpoint does not accept.'],
  conflict: [
    409,
    'The handle, segment or domain is already taken, the bytes of an upload are complete or belong to a message that has been sent, or are being PUT by a newer request, a limit on the number of items is reached, a colleague has used the Idempotency-Key of a drop, `ordered` of a consumer would change, or a business would be left without an owner.',
  ],
  internal_error: [500, 'Something failed on our side. Contact the operator and quote the request id.'],
  unavailable: [
    503,
    'The database or the store of files can’t be reached, or is full; the disk has too little room left for files; or too many large responses are under way. Try again after `Retry-After` seconds.',
  ],
} as const satisfies Record<string, readonly [status: number, when: string]>;

export type ErrorCode = keyof typeof errorCatalogue;

export const errorCodes = keysOf(errorCatalogue);

export interface Issue {
  path: string;
  message: string;
  limit?: string;
  /** The place where a text stops being JSON, on invalid_json. Line and column from 1, offset in bytes from 0. */
  line?: number;
  column?: number;
  offset?: number;
}

interface RefusalOptions {
  details?: Issue[];
  retryAfterS?: number;
  headers?: Record<string, string>;
  /** The HTTP status, if it is not the code's usual one. */
  status?: number;
}

/** Use-cases throw a Refusal to refuse a request. Any other error is an internal error. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: Issue[] | undefined;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(code: ErrorCode, message: string = errorCatalogue[code][1], options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.details = options.details;
    this.headers = { ...options.headers };
    this.status = options.status ?? errorCatalogue[code][0];
    if (options.retryAfterS !== undefined) this.headers['retry-after'] = String(options.retryAfterS);
  }
}

export function invalid(issues: Issue[]): Refusal {
  const [first] = issues;
  const subject = first === undefined || first.path === '' ? 'The request' : first.path.slice(1).replaceAll('/', '.');
  return new Refusal('validation_error', first ? `${subject}: ${first.message}.` : undefined, { details: issues });
}
