import { WAYBILL } from './command-names.ts';
import type { Config } from './config.ts';
import type { Sample } from './samples.ts';
import type { Role, Started } from './service.ts';

export function welcome(started: Started, config: Config, role: Role, processes: number): string {
  const { publicUrl, address, mail, keptMailsAt, samples } = started;
  const hasApi = role === 'api' || role === 'all';
  const lines = [
    '',
    !hasApi ? 'Waybill works in the background.' : 'Waybill is ready.',
    '',
    ...(!hasApi ? [] : [`  Dashboard      ${publicUrl}`, `  API            ${publicUrl}/v1`, `  Documentation  ${publicUrl}/docs`]),
    ...(!hasApi || address !== publicUrl ? [`  Listens on     ${address}`] : []),
    ...(mail ? [`  Mail           smtp://${mail.address} for <handle>@${mail.domain}`] : []),
    ...(processes > 1 ? [`  Processes      ${processes}`] : []),
    config.databaseUrl === undefined ? `  Data folder    ${config.dataDir}` : '  Database       the one in DATABASE_URL',
    ...mailLines(config, keptMailsAt),
    '',
  ];
  const [buyer, seller] = samples;
  if (buyer && seller) lines.push(...firstSteps(publicUrl, samples, buyer, seller));
  else if (hasApi) lines.push(`Sign in at the dashboard to claim a handle, or create a business here: ${WAYBILL} --help`, '');
  return lines.join('\n');
}

function mailLines({ smtpUrl }: Config, keptMailsAt: string | undefined): string[] {
  if (smtpUrl !== undefined) return [];
  const kept = '  Mail           is kept, not sent, as SMTP_URL is not set';
  return [keptMailsAt === undefined ? kept : `${kept}; read it at ${keptMailsAt}`];
}

function firstSteps(publicUrl: string, samples: Sample[], buyer: Sample, seller: Sample): string[] {
  const keys = samples.flatMap(({ handle, agents }) => agents.map(({ segment, key }) => `  ${`${handle}/${segment}`.padEnd(18)} ${key}`));
  const buyerKey = buyer.agents[0]?.key;
  const sellerKey = seller.agents[0]?.key;
  return [
    'Two sample businesses are there to try it with. Their keys are shown only once:',
    '',
    ...keys,
    '',
    'Send an order from acme to globex, read it in globex’ inbox, and reply to it:',
    '',
    `curl -s ${publicUrl}/v1/messages -H 'Authorization: Bearer ${buyerKey}' -H 'Content-Type: application/json' -d '{"to":"globex/orders","type":"order","subject":"Order 4711","json":{"items":[{"sku":"A-1","quantity":3}]}}'`,
    '',
    `curl -s ${publicUrl}/v1/inbox -H 'Authorization: Bearer ${sellerKey}'`,
    '',
    `curl -s ${publicUrl}/v1/messages -H 'Authorization: Bearer ${sellerKey}' -H 'Content-Type: application/json' -d "{\\"in_reply_to\\":\\"$(curl -s ${publicUrl}/v1/inbox -H 'Authorization: Bearer ${sellerKey}' | grep -o 'msg_[0-9a-z]*' | head -n 1)\\",\\"note\\":\\"Thank you, it ships tomorrow.\\"}"`,
    '',
  ];
}
