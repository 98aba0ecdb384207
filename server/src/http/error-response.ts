import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, invalid, Refusal } from '../contract/errors.ts';
import { PATH_PARAMETER_MAX_CHARS } from '../contract/limits.ts';
import { codeOf, messageOf } from '../contract/thrown.ts';
import { causeOf, unavailability } from '../platform/processes/unavailability.ts';

const OF_FASTIFY: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['json_too_large', 'The body is larger than this endpoint takes.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['validation_error', 'The body does not have the length that Content-Length promised.'],
  // A 400, because every operation has one, and not all have a 404.
  FST_ERR_BAD_URL: ['validation_error', 'The path is not percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['validation_error', `A part of the path is longer than ${PATH_PARAMETER_MAX_CHARS} characters.`],
};

export function errorBody(refusal: Refusal, requestId: string): string {
  const { code, message, details } = refusal;
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(details && { details }) } });
}

export function toRefusal(error: unknown): Refusal {
  const refusal = error instanceof Refusal ? error : unavailability(error);
  if (refusal) return refusal;
  const code = codeOf(error);
  const known = code === undefined ? undefined : OF_FASTIFY[code];
  if (known?.[0] === 'validation_error') return invalid([{ path: '', message: known[1].replace(/\.$/, '') }]);
  return known ? new Refusal(...known) : new Refusal('internal_error');
}

/** What the caller is told of an error. The operator is told of those that are not the caller's. */
export function refusalOf(error: unknown, { id, url, log }: FastifyRequest): Refusal {
  const refusal = toRefusal(error);
  if (refusal.code === 'internal_error') log.error({ err: error, request_id: id, url }, 'request failed');
  else if (refusal.code === 'unavailable') log.warn({ request_id: id, reason: messageOf(error) }, causeOf(error));
  return refusal;
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A client that disconnects in the middle of its body is not an internal error.
  const hasEnded = request.raw.readableAborted;
  const refusal = hasEnded ? invalid([{ path: '', message: 'the body ended too early' }]) : refusalOf(error, request);
  const help = `</docs/errors#${refusal.code}>; rel="help"`;
  const headers = { ...refusal.headers, link: help, 'content-type': 'application/json; charset=utf-8' };
  return reply.code(refusal.status).headers(headers).send(errorBody(refusal, request.id));
}
