import type { Logger } from 'pino';
import {
  MAIL_LINE_MAX_BYTES,
  MAIL_LINES_MAX,
  MAIL_RECIPIENTS_MAX,
  SMTP_CONNECTION_MAX_MS,
  SMTP_CONNECTIONS_MAX,
  SMTP_CONNECTIONS_PER_ADDRESS_MAX,
  SMTP_CONNECTIONS_PER_NETWORK_MAX,
  SMTP_CONNECTIONS_RESERVED,
  SMTP_IDLE_MAX_MS,
  SMTP_MAILS_PER_CONNECTION_MAX,
  SMTP_REFUSALS_PER_CONNECTION_MAX,
} from '../../contract/limits.ts';
import { parseRecipient } from '../../contract/mail-recipients.ts';
import { SmtpListener, SmtpRefusal, type SmtpSettings } from '../../platform/mail/smtp-listener.ts';
import { type InboundServices, receiveMail } from './receive-mail.ts';
import { smtpReplyTo } from './smtp-replies.ts';

interface MailSettings extends Pick<SmtpSettings, 'host' | 'port' | 'reusePort' | 'tls' | 'proxies'> {
  maxBytes: number;
  stopMs: number;
  perAddress: { admit(address: string): void };
}

/** Turns mail to `<handle>@` and `<handle>+<segment>@` the inbound domain into messages. */
export function inboundMail(services: InboundServices, settings: MailSettings, log: Logger): SmtpListener {
  const { inboundDomain, parties } = services;
  const limits = {
    mailBytes: settings.maxBytes,
    lineBytes: MAIL_LINE_MAX_BYTES,
    lines: MAIL_LINES_MAX,
    recipients: MAIL_RECIPIENTS_MAX,
    connections: SMTP_CONNECTIONS_MAX,
    connectionsPerAddress: SMTP_CONNECTIONS_PER_ADDRESS_MAX,
    connectionsPerNetwork: SMTP_CONNECTIONS_PER_NETWORK_MAX,
    connectionsReserved: SMTP_CONNECTIONS_RESERVED,
    mailsPerConnection: SMTP_MAILS_PER_CONNECTION_MAX,
    refusalsPerConnection: SMTP_REFUSALS_PER_CONNECTION_MAX,
    idleMs: SMTP_IDLE_MAX_MS,
    connectionMs: SMTP_CONNECTION_MAX_MS,
    stopMs: settings.stopMs,
  };
  const withSmtpReply = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw smtpReplyTo(error);
    }
  };
  return new SmtpListener(
    { ...settings, name: inboundDomain, limits },
    {
      sender: (address, ip) =>
        withSmtpReply(() => {
          settings.perAddress.admit(ip);
          // A sender that can't be told of a failure, such as a bounce, is refused.
          if (address === '')
            throw new SmtpRefusal(550, '5.7.1 Mails without a sender, such as delivery failure notices, are not accepted.');
        }),
      recipient: (address) =>
        withSmtpReply(async () => {
          const recipient = parseRecipient(address, inboundDomain);
          if (!recipient || !(await parties.byHandle(recipient.handle)))
            throw new SmtpRefusal(550, `5.1.1 No business has the address ${address}.`);
        }),
      mail: (bytes, envelope) =>
        withSmtpReply(async () => `2.0.0 Delivered as ${(await receiveMail(services, bytes, envelope)).join(', ')}`),
    },
    log,
  );
}
