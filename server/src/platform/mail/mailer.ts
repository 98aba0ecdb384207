import { createTransport, type Transporter } from 'nodemailer';
import { isLoopbackHost } from '../loopback.ts';

export interface Mail {
  /** One mailbox. */
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
  replyTo?: string;
  /** The Message-ID that replies refer to, without the brackets; generated if missing. */
  messageId?: string;
  /** Instead of the usual name of the sender; the address stays. */
  fromName?: string;
}

export interface Mailbox {
  name: string;
  address: string;
}

/** The server will take this mail neither now nor later. */
export class MailRefused extends Error {}

const CONNECT_PATIENCE_MS = 10_000;
const SILENCE_PATIENCE_MS = 15_000;
/** For a whole mail: a server that drips its SMTP replies is never silent for long. */
export const MAIL_PATIENCE_MS = 20_000;
export const MAILS_AT_ONCE = 4;

/** Hands mails to an SMTP server, over connections that are kept for the next ones. */
export class Mailer {
  readonly #url: URL;
  readonly #from: Mailbox;
  #transport: Transporter | undefined;

  constructor(url: string, from: Mailbox) {
    this.#url = new URL(url);
    this.#from = from;
  }

  /** Under the same id a mail has the same Message-ID, by which mailboxes tell that they have it already. */
  async send(id: string, { to, subject, text, html, headers = {}, replyTo, messageId, fromName }: Mail): Promise<void> {
    this.#transport ??= connect(this.#url);
    const transport = this.#transport;
    const impatience = setTimeout(() => this.#abandon(transport), MAIL_PATIENCE_MS);
    const { name, address } = this.#from;
    try {
      await transport.sendMail({
        messageId: `<${messageId ?? `${id}@${address.split('@')[1]}`}>`,
        from: { name: fromName ?? name, address },
        // As one address, never as text that could hold several.
        to: { name: '', address: to },
        envelope: { from: address, to },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject,
        text,
        html,
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw explained(error as SmtpError);
    } finally {
      clearTimeout(impatience);
    }
  }

  close(): void {
    this.#transport?.close();
  }

  /** Whatever else goes over its connections fails too, and is tried again over others. */
  #abandon(transport: Transporter): void {
    if (this.#transport === transport) this.#transport = undefined;
    transport.close({ force: true });
  }
}

/**
 * Beyond this machine nothing goes unencrypted, nor to a server without a good certificate, unless the URL itself ends in
 * `?ignoreTLS=true`. A server on this machine seldom has a certificate that anybody could check.
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

/** What a server says in its own words may repeat the mail, so only its code is passed on. */
function explained(error: SmtpError): Error {
  const { responseCode, permanent, command = 'the connection' } = error;
  if (responseCode === undefined) return new Error(`the mail server could not be used: ${error.message}`);
  const message = `the mail server replied ${responseCode} to ${command}`;
  // A wrong password or sender would befall every mail, and is put right by the operator.
  const isAboutThisMail = command === 'RCPT TO' || command === 'DATA';
  return permanent && isAboutThisMail ? new MailRefused(message) : new Error(message);
}
