import { type ErrorCode, Refusal } from '../../contract/errors.ts';
import { BrokenMail } from '../../platform/mail/mail-parts.ts';
import { SmtpRefusal } from '../../platform/mail/smtp-listener.ts';
import { unavailability } from '../../platform/processes/unavailability.ts';

/** After codes that begin with 4 the sender's server tries again. After 5 it notifies the sender. */
const REPLIES: Partial<Record<ErrorCode, readonly [code: number, enhanced: string]>> = {
  unknown_recipient: [550, '5.1.1'],
  forbidden: [550, '5.7.1'],
  sender_blocked: [550, '5.7.1'],
  file_too_large: [552, '5.3.4'],
  validation_error: [554, '5.6.0'],
  quota_exceeded: [452, '4.7.0'],
  rate_limited: [451, '4.7.0'],
  unavailable: [451, '4.3.0'],
};

export function smtpReplyTo(error: unknown): unknown {
  if (error instanceof SmtpRefusal) return error;
  if (error instanceof BrokenMail) return new SmtpRefusal(554, `5.6.0 The parts of the mail are broken: ${error.message}.`);
  const refusal = error instanceof Refusal ? error : unavailability(error);
  const [code, enhanced] = (refusal && REPLIES[refusal.code]) ?? [];
  return refusal === undefined || code === undefined ? error : new SmtpRefusal(code, `${enhanced} ${refusal.message}`);
}

export function mailRefusal(enhanced: string, sentence: string): SmtpRefusal {
  return new SmtpRefusal(enhanced.startsWith('5.6') || enhanced === '5.4.6' ? 554 : 550, `${enhanced} ${sentence}`);
}
