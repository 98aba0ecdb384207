import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { type Identity, selfSigned } from './certificates.ts';
import { until } from './process.ts';

/** A parsed mail, with its SMTP envelope. */
export type ReceivedMail = Omit<Email, 'headers'> & {
  /** Key: the name in lower case. The last of repeated headers counts. */
  headers: Map<string, string>;
  raw: string;
  envelope: { from: string; to: string[] };
  isEncrypted: boolean;
  at: number;
};

export interface MailServer {
  url: string;
  settings: { SMTP_URL: string; MAIL_FROM: string };
  port: number;
  /** In order of arrival, with those that were refused after their last byte. */
  mails: ReceivedMail[];
  to(mailbox: string): ReceivedMail[];
  /** Waits until this many mails have come to the mailbox, and returns them. */
  received(mailbox: string, count?: number): Promise<ReceivedMail[]>;
  /** Replies with this code from now on: to the recipient's address, or to the mail itself. */
  refuse(code: number, at?: 'RCPT TO' | 'DATA'): void;
  accept(): void;
  /** Sends no SMTP reply to mails until it accepts again. Mails that wait by then never get one. */
  hang(): void;
  stop(): Promise<void>;
}

export const MAIL_FROM = 'Waybill <no-reply@waybill.example>';

interface Needs {
  user?: { name: string; password: string };
  /** Offered by STARTTLS, or used from the start. Undefined: plain text. */
  tls?: 'starttls' | 'from the start' | undefined;
  identity?: Identity;
}

/** A real SMTP server on loopback that stores the mails. */
export async function startMailServer({ user, tls, identity = selfSigned(['localhost']) }: Needs = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusal: { code: number; at: 'RCPT TO' | 'DATA' } | undefined;
  let isHanging = false;
  const objectionAt = (at: 'RCPT TO' | 'DATA') =>
    refusal?.at === at ? Object.assign(new Error('refused by the test'), { responseCode: refusal.code }) : null;

  const server = new SMTPServer({
    ...identity,
    secure: tls === 'from the start',
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(user ? [] : ['AUTH'])],
    // Passwords are also accepted over plain connections, so the tests see whether the sender encrypts them.
    allowInsecureAuth: true,
    authOptional: user === undefined,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      if (username === user?.name && password === user?.password) done(null, { user: username });
      else done(Object.assign(new Error('who is this'), { responseCode: 535 }));
    },
    onRcptTo: (_address, _session, done) => done(objectionAt('RCPT TO')),
    onData: async (stream, session, done) => {
      const raw = await bytesOf(stream).catch(() => undefined);
      if (raw === undefined) return;
      const { mailFrom, rcptTo } = session.envelope;
      const email = await PostalMime.parse(raw);
      mails.push({
        ...email,
        text: email.text?.trimEnd(),
        html: email.html?.trimEnd(),
        headers: new Map(email.headers.map(({ key, value }) => [key, value])),
        raw: raw.toString('latin1'),
        envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
        isEncrypted: session.secure,
        at: Date.now(),
      });
      if (!isHanging) done(objectionAt('DATA'));
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const login = user ? `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@` : '';
  const url = `${tls === 'from the start' ? 'smtps' : 'smtp'}://${login}127.0.0.1:${port}`;
  const to = (mailbox: string) => mails.filter(({ envelope }) => envelope.to.includes(mailbox));
  return {
    url,
    settings: { SMTP_URL: url, MAIL_FROM },
    port,
    mails,
    to,
    received: async (mailbox, count = 1) => {
      await until(() => to(mailbox).length >= count);
      return to(mailbox);
    },
    refuse: (code, at = 'DATA') => {
      refusal = { code, at };
    },
    accept: () => {
      refusal = undefined;
      isHanging = false;
    },
    hang: () => {
      isHanging = true;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
