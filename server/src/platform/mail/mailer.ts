import { createTransport, type Transporter } from 'nodemailer';
import { isLoopbackHost } from '../outbound/loopback.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
  replyTo?: string;
  /** The Message-ID that replies refer to, without brackets. Default: a new one. */
  messageId?: string;
  fromName?: string;
}

interface Mailbox {
  name: string;
  address: string;
}

export class MailRefused extends Error {}

const CONNECT_PATIENCE_MS = 10_000;
const SILENCE_PATIENCE_MS = 15_000;
/** The time limit of a whole mail, because a server that drips its SMTP replies is never silent for long. */
export const MAIL_PATIENCE_MS = 20_000;
export const MAILS_AT_ONCE = 4;

export class Mailer {
  readonly #url: URL;
  readonly #from: Mailbox;
  #transport: Transporter | undefined;

  constructor(url: string, from: Mailbox) {
    this.#url = new URL(url);
    this.#from = from;
  }

  /** The id determines the Message-ID, by which mailboxes recognize a repeat. */
  async send(id: string, { to, subject, text, html, headers = {}, replyTo, messageId, fromName }: Mail): Promise<void> {
    this.#transport ??= connect(this.#url);
    const transport = this.#transport;
    const impatience = setTimeout(() => this.#abandon(transport), MAIL_PATIENCE_MS);
    const { name, address } = this.#from;
    try {
      await transport.sendMail({
        messageId: `<${messageId ?? `${id}@${address.split('@')[1]}`}>`,
        from: { name: fromName ?? name, address },
        // An object, because a text could hold several addresses.
        to: { name: '', address: to },
        envelope: { from: address, to },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject,
        text,
        html,
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw toError(error as SmtpError);
    } finally {
      clearTimeout(impatience);
    }
  }

  close(): void {
    this.#transport?.close();
  }

  #abandon(transport: Transporter): void {
    if (this.#transport === transport) this.#transport = undefined;
    transport.close({ force: true });
  }
}

/**
 * Requires encryption and a valid certificate beyond this machine, unless the URL ends in `?ignoreTLS=true`. A server on this machine seldom has a
 * certificate that can be verified.
 */
function connect(url: URL): Transporter {
  const isLocal = isLoopbackHost(url.hostname);
  const isSecure = url.protocol === 'smtps:';
  const isPlain = url.searchParams.get('ignoreTLS') === 'true';
  return createTransport({
    pool: true,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: !isSecure && !isLocal && !isPlain,
    ignoreTLS: isPlain,
    tls: { rejectUnauthorized: !isLocal },
    ...(url.username !== '' && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: CONNECT_PATIENCE_MS,
    dnsTimeout: CONNECT_PATIENCE_MS,
    greetingTimeout: CONNECT_PATIENCE_MS,
    socketTimeout: SILENCE_PATIENCE_MS,
    maxConnections: MAILS_AT_ONCE,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

interface SmtpError extends Error {
  responseCode?: number;
  permanent?: boolean;
  command?: string;
}

/** Passes on only the server's code: its text may repeat the mail. */
function toError(error: SmtpError): Error {
  const { responseCode, permanent, command = 'the connection' } = error;
  if (responseCode === undefined) return new Error(`the mail server could not be used: ${error.message}`);
  const message = `the mail server replied ${responseCode} to ${command}`;
  // A wrong password or sender affects every mail until the operator corrects it.
  const isAboutThisMail = command === 'RCPT TO' || command === 'DATA';
  return permanent && isAboutThisMail ? new MailRefused(message) : new Error(message);
}
