import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { LineCheck } from './smtp-lines.ts';
import { type SlotLimits, SmtpSlots } from './smtp-slots.ts';

/** A negative SMTP reply. Its text begins with an enhanced status code (RFC 3463). */
export class SmtpRefusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

export interface SmtpEnvelope {
  sender: string;
  recipients: string[];
  ip: string;
  helo: string;
}

/** The handlers throw an SmtpRefusal to refuse. */
export interface SmtpHandlers {
  sender(address: string, ip: string): Promise<void>;
  recipient(address: string): Promise<void>;
  /** Resolves once the mail is durable, with the text of the SMTP reply. */
  mail(bytes: AsyncIterable<Buffer>, envelope: SmtpEnvelope): Promise<string>;
}

export interface SmtpSettings {
  host: string;
  port: number;
  reusePort?: boolean;
  name: string;
  tls: { cert: string; key: string } | undefined;
  proxies: readonly string[];
  limits: SmtpLimits;
}

export interface SmtpLimits extends SlotLimits {
  mailBytes: number;
  lineBytes: number;
  lines: number;
  recipients: number;
  mailsPerConnection: number;
  refusalsPerConnection: number;
  idleMs: number;
  connectionMs: number;
  stopMs: number;
}

interface Visit {
  mails: number;
  refusals: number;
  isReceiving: boolean;
  timer: NodeJS.Timeout;
}

const UNUSED_COMMANDS = ['AUTH', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'];

/** Receives mail by SMTP. A client's mistakes get an SMTP reply, and nothing that a client does ends the process. */
export class SmtpListener {
  readonly #settings: SmtpSettings;
  readonly #handlers: SmtpHandlers;
  readonly #log: Logger;
  readonly #server: SMTPServer;
  readonly #visits = new Map<string, Visit>();
  readonly #slots: SmtpSlots;
  #isStopping = false;

  constructor(settings: SmtpSettings, handlers: SmtpHandlers, log: Logger) {
    this.#settings = settings;
    this.#handlers = handlers;
    this.#log = log;
    const { limits, tls, name, proxies } = settings;
    this.#slots = new SmtpSlots(limits);
    this.#server = new SMTPServer({
      ...tls,
      name,
      banner: 'Waybill',
      size: limits.mailBytes,
      maxRecipients: limits.recipients,
      // Connections without a slot get an SMTP reply before they are closed.
      maxClients: 2 * limits.connections,
      socketTimeout: limits.idleMs,
      closeTimeout: limits.stopMs,
      disabledCommands: tls ? UNUSED_COMMANDS : [...UNUSED_COMMANDS, 'STARTTLS'],
      disableReverseLookup: true,
      hideSMTPUTF8: true,
      logger: false,
      useProxy: [...proxies],
      onConnect: (session, callback) => reply(callback, () => this.#welcome(session)),
      onClose: (session) => this.#forget(session),
      onMailFrom: ({ address }, session, callback) =>
        reply(callback, () => this.#countRefusals(session, () => this.#admitSender(session, address))),
      onRcptTo: ({ address }, session, callback) =>
        reply(callback, () => this.#countRefusals(session, () => this.#handlers.recipient(address))),
      onData: (stream, session, callback) => {
        this.#receive(stream, session)
          .then(
            (text) => callback(null, text),
            (error) => callback(this.#refusalOf(error)),
          )
          .finally(() => this.#dismissIfStopping(stream, session));
      },
    });
    // These are errors of single connections, which have had their SMTP reply.
    this.#server.on('error', (error) => log.debug({ reason: error.message }, 'a mail connection failed'));
  }

  async start(): Promise<number> {
    const { host, port, reusePort = false } = this.#settings;
    const server = this.#server.listen({ port, host, reusePort });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(resolve));
    for (const { session } of this.#server.connections) if (!this.#visits.get(session.id)?.isReceiving) this.#dismiss(session);
    await closed;
  }

  #welcome(session: SMTPServerSession): void {
    const { limits } = this.#settings;
    const full = this.#slots.take(session.id, session.remoteAddress);
    if (full !== undefined) throw new SmtpRefusal(421, `4.7.0 Too many connections ${full}; try again later.`);
    const timer = setTimeout(
      () => this.#end(session, 421, '4.4.2 This connection has been open for too long; open a new one.'),
      limits.connectionMs,
    ).unref();
    this.#visits.set(session.id, { mails: 0, refusals: 0, isReceiving: false, timer });
  }

  #forget(session: SMTPServerSession): void {
    clearTimeout(this.#visits.get(session.id)?.timer);
    this.#visits.delete(session.id);
    this.#slots.free(session.id);
  }

  async #admitSender(session: SMTPServerSession, address: string): Promise<void> {
    const visit = this.#visits.get(session.id);
    if (visit && ++visit.mails > this.#settings.limits.mailsPerConnection)
      throw new SmtpRefusal(421, '4.7.0 Too many mails on one connection; open a new one.');
    await this.#handlers.sender(address, session.remoteAddress);
  }

  async #countRefusals(session: SMTPServerSession, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const visit = this.#visits.get(session.id);
      if (visit && ++visit.refusals >= this.#settings.limits.refusalsPerConnection)
        throw new SmtpRefusal(421, '4.7.0 Too many addresses were refused; open a new connection.');
      throw this.#refusalOf(error);
    }
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const visit = this.#visits.get(session.id);
    if (visit) visit.isReceiving = true;
    const { mailFrom, rcptTo } = session.envelope;
    const envelope: SmtpEnvelope = {
      sender: mailFrom ? mailFrom.address : '',
      recipients: rcptTo.map(({ address }) => address),
      ip: session.remoteAddress,
      helo: session.hostNameAppearsAs,
    };
    const bytes = checkedBytes(stream, this.#settings.limits);
    try {
      return await this.#handlers.mail(bytes, envelope);
    } finally {
      await bytes.return(undefined);
      if (visit) visit.isReceiving = false;
      // The SMTP reply can only follow the end of the mail, however early the refusal is known.
      this.#discard(stream, session);
    }
  }

  #discard(stream: SMTPServerDataStream, session: SMTPServerSession): void {
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.#settings.limits.mailBytes) this.#end(session, 552, tooLarge(this.#settings.limits.mailBytes));
    });
    stream.resume();
  }

  /** Closes a connection after the SMTP reply, so that the client does not begin another mail in vain. */
  #dismissIfStopping(stream: SMTPServerDataStream, session: SMTPServerSession): void {
    if (!this.#isStopping) return;
    if (stream.closed) this.#dismiss(session);
    else stream.once('close', () => setImmediate(() => this.#dismiss(session)));
  }

  #dismiss(session: SMTPServerSession): void {
    this.#end(session, 421, '4.3.2 The service is stopping; try again later.');
  }

  #end(session: SMTPServerSession, code: number, text: string): void {
    for (const connection of this.#server.connections) {
      if (connection.session.id !== session.id) continue;
      connection.send(code, text);
      connection.close();
    }
  }

  #refusalOf(error: unknown): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error;
    this.#log.error({ err: error }, 'a mail could not be taken');
    return new SmtpRefusal(451, '4.3.0 Something failed on our side; try again later.');
  }
}

function reply(callback: (error?: Error | null) => void, work: () => void | Promise<void>): void {
  new Promise<void>((resolve) => resolve(work())).then(
    () => callback(),
    (error) => callback(error),
  );
}

async function* checkedBytes(stream: SMTPServerDataStream, limits: SmtpLimits): AsyncGenerator<Buffer> {
  const lines = new LineCheck(limits.lineBytes, limits.lines);
  const refuseIf = (problem: string | undefined) => {
    if (problem !== undefined) throw new SmtpRefusal(554, `5.6.0 The mail contains ${problem}.`);
  };
  let bytes = 0;
  // The stream stays open when reading stops early, because the rest of the mail must be skipped before the SMTP reply.
  const chunks: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limits.mailBytes) throw new SmtpRefusal(552, tooLarge(limits.mailBytes));
    refuseIf(lines.problemIn(chunk));
    yield chunk;
  }
  refuseIf(lines.problemAtEnd());
}

function tooLarge(maxBytes: number): string {
  return `5.3.4 The mail is larger than ${maxBytes} bytes.`;
}
