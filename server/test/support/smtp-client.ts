import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { connect as connectTls } from 'node:tls';

/** A client that sends exactly the given bytes, for input that no mail program sends. */
export class SmtpClient {
  #socket: Socket;
  #lines: AsyncIterator<string>;
  #reader: Interface;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#reader = createInterface({ input: socket });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    // A connection that the server breaks ends the lines, so the error says nothing more.
    socket.on('error', () => {});
  }

  /** Connects and reads the greeting. `preamble` is the line that a proxy sends first. */
  static async open(port: number, preamble = ''): Promise<SmtpClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new SmtpClient(socket);
    if (preamble !== '') client.write(preamble);
    client.greeting = await client.reply();
    return client;
  }

  greeting = '';

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Waits until the bytes are sent, so that a large mail is not in memory twice. */
  async writeAll(bytes: Buffer): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** Returns the next SMTP reply with its lines joined, or an empty text when the connection is closed. */
  async reply(): Promise<string> {
    const lines: string[] = [];
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) return lines.join('\n');
      lines.push(value);
      if (!/^\d{3}-/.test(value)) return lines.join('\n');
    }
  }

  async say(command: string): Promise<string> {
    this.write(`${command}\r\n`);
    return this.reply();
  }

  /** Encrypts the connection from here on. */
  async startTls(ca: string, servername: string): Promise<void> {
    this.#reader.close();
    const secure = connectTls({ socket: this.#socket, ca, servername });
    await once(secure, 'secureConnect');
    this.#socket = secure;
    this.#reader = createInterface({ input: secure });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    secure.on('error', () => {});
  }

  close(): void {
    this.#socket.destroy();
  }
}

export interface Parcel {
  sender: string;
  recipients: string[];
  /** The bytes between DATA and the dot, before dots are doubled. */
  mail: string | Buffer;
}

export interface SmtpReplies {
  sender: string;
  recipients: string[];
  /** Empty if the mail was refused before DATA. */
  mail: string;
}

export async function handOver(client: SmtpClient, { sender, recipients, mail }: Parcel): Promise<SmtpReplies> {
  const replies: SmtpReplies = { sender: await client.say(`MAIL FROM:<${sender}>`), recipients: [], mail: '' };
  if (!replies.sender.startsWith('250')) return replies;
  for (const recipient of recipients) replies.recipients.push(await client.say(`RCPT TO:<${recipient}>`));
  if (!replies.recipients.some((reply) => reply.startsWith('250'))) {
    await client.say('RSET');
    return replies;
  }
  const opened = await client.say('DATA');
  if (!opened.startsWith('354')) return { ...replies, mail: opened };
  await client.writeAll(dotStuffed(mail));
  replies.mail = await client.reply();
  return replies;
}

/** Doubles the dots of a mail, and adds the dot that ends it. */
export function dotStuffed(mail: string | Buffer): Buffer {
  const text = Buffer.isBuffer(mail) ? mail.toString('latin1') : Buffer.from(mail).toString('latin1');
  const doubled = text.replace(/^\./, '..').replaceAll('\r\n.', '\r\n..');
  return Buffer.from(`${doubled}${doubled.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1');
}
