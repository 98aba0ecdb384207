import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import { freePort } from './free-port.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { temporaryFolder } from './process.ts';
import { startTestService, type TestService } from './service.ts';
import { handOver, type Parcel, SmtpClient, type SmtpReplies } from './smtp-client.ts';

export const INBOUND = 'in.waybill.test';
const SELECTOR = 'test';

/** A service that receives mail, and a name server in which domains can vouch for their mail. */
export interface MailWorld {
  service: TestService;
  names: NameServer;
  port: number;
  filesFolder: string;
  /** Makes the domain vouch for mail from this machine, and for mail with its signature. */
  publish(domain: string, options?: { spf?: string; dmarc?: string; keyNote?: string }): void;
  connect(preamble?: string): Promise<SmtpClient>;
  /** Delivers to globex by default. */
  handOver(client: SmtpClient, parcel: Partial<Parcel> & { mail: string | Buffer }): Promise<SmtpReplies>;
  /** Delivers over a separate connection. Returns the SMTP reply to the mail, or the first refusal. */
  deliver(parcel: Partial<Parcel> & { mail: string | Buffer }): Promise<string>;
  stop(): Promise<void>;
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const PUBLISHED_KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
export const SPF_HERE = 'v=spf1 ip4:127.0.0.1 -all';
export const SPF_ELSEWHERE = 'v=spf1 ip4:192.0.2.1 -all';

const USUAL = { sender: 'ann@acme-works.test', recipients: [`globex@${INBOUND}`] };

export async function startMailWorld(env: Record<string, string> = {}): Promise<MailWorld> {
  const names = await startNameServer();
  const port = await freePort();
  const filesFolder = temporaryFolder();
  const settings = {
    SMTP_LISTEN: `127.0.0.1:${port}`,
    INBOUND_DOMAIN: INBOUND,
    DNS_SERVERS: names.address,
    DATA_DIR: filesFolder,
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    ...env,
  };
  const service = await startTestService(settings);
  const connect = (preamble?: string) => SmtpClient.open(port, preamble);
  return {
    service,
    names,
    port,
    filesFolder,
    publish: (domain, { spf = SPF_HERE, dmarc, keyNote } = {}) => {
      names.set(domain, { txt: [spf] });
      names.set(`${SELECTOR}._domainkey.${domain}`, { txt: [keyNote === undefined ? PUBLISHED_KEY : `${PUBLISHED_KEY}; n=${keyNote}`] });
      if (dmarc !== undefined) names.set(`_dmarc.${domain}`, { txt: [dmarc] });
    },
    connect,
    handOver: (client, parcel) => handOver(client, { ...USUAL, ...parcel }),
    deliver: async (parcel) => {
      const client = await connect();
      await client.say('EHLO client.test');
      const replies = await handOver(client, { ...USUAL, ...parcel });
      client.close();
      return (
        [replies.mail, ...replies.recipients, replies.sender].find((reply) => reply !== '' && !reply.startsWith('250')) ?? replies.mail
      );
    },
    stop: async () => {
      await service.stop();
      await names.stop();
    },
  };
}

let made = 0;

export interface MailText {
  from?: string;
  subject?: string | null;
  messageId?: string | null;
  headers?: string[];
  body?: string;
}

/** A simple mail by default. */
export function mailText({
  from = 'Ann <ann@acme-works.test>',
  subject = 'Order 4711',
  messageId = `<${++made}.${process.pid}@acme-works.test>`,
  headers = [],
  body = 'Three of A-1, please.\r\n',
}: MailText = {}): string {
  const lines = [`From: ${from}`, `To: globex@${INBOUND}`, `Date: ${new Date().toUTCString()}`];
  if (messageId !== null) lines.push(`Message-ID: ${messageId}`);
  if (subject !== null) lines.push(`Subject: ${subject}`);
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export interface MimePart {
  headers: string[];
  body: string;
}

/** Returns the header line and the body of a multipart mail. */
export function multipart(type: string, parts: MimePart[], boundary = 'limit'): { headers: string[]; body: string } {
  const body = parts.map((part) => `--${boundary}\r\n${part.headers.join('\r\n')}\r\n\r\n${part.body}\r\n`).join('');
  return {
    headers: ['MIME-Version: 1.0', `Content-Type: multipart/${type}; boundary="${boundary}"`],
    body: `${body}--${boundary}--\r\n`,
  };
}

export function attached(name: string, type: string, bytes: string | Buffer): MimePart {
  const base64 = Buffer.from(bytes as string).toString('base64');
  return {
    headers: [
      `Content-Type: ${type}; name="${name}"`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: attachment; filename="${name}"`,
    ],
    body: base64.replace(/.{76}/g, '$&\r\n'),
  };
}

export interface SigningOptions {
  domain?: string;
  fields?: string[];
  maxBodyLength?: number;
  canonicalization?: 'relaxed/relaxed' | 'simple/simple' | 'relaxed/simple';
}

/** Signs with the key that `publish` publishes. */
export async function signed(
  mail: string,
  { domain = 'acme-works.test', fields, maxBodyLength, canonicalization = 'relaxed/relaxed' }: SigningOptions = {},
): Promise<string> {
  const signature = {
    signingDomain: domain,
    selector: SELECTOR,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    canonicalization,
    ...(fields && { headerList: fields }),
    ...(maxBodyLength !== undefined && { maxBodyLength }),
  };
  const { signatures, errors } = await dkimSign(mail, { ...signature, signatureData: [signature] });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return `${signatures.trimEnd()}\r\n${mail}`;
}
