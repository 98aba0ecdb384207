import type { Api } from './api.ts';
import { everyPage } from './pages.ts';
import { type ServiceProcess, startProcess, until } from './process.ts';
import { type Delivery, receiverSettings, startReceiver, trustInProcess } from './receiver.ts';
import { startTestService, type TestService } from './service.ts';
import type { LoggedAttempt } from './webhook-log.ts';

/** Settings for processes that must reach the receivers of this test file. */
export const reachingReceivers: Record<string, string> = { ...receiverSettings, ...trustInProcess() };

/** An API in this process that makes no attempts. Every endpoint counts as proven, so that workers may share its attempts. */
export async function startApi(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService({ ...receiverSettings, ...env }, 'api');
  await service.sql('ALTER TABLE webhooks ALTER COLUMN first_success_at SET DEFAULT now()');
  return service;
}

export function startWorker(databaseUrl: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  return startProcess({ env: { DATABASE_URL: databaseUrl, ...reachingReceivers, ...env }, args: ['--role', 'worker'] });
}

export async function setTheStage(databaseUrl: string, onTestFinished: (end: () => Promise<void>) => void) {
  const service = await startApi({ DATABASE_URL: databaseUrl });
  onTestFinished(() => service.stop());
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const [acme, globex] = await Promise.all([service.business('acme'), service.business('globex')]);
  return { service, acme, globex, receiver };
}

export async function register(api: Api, url: string, target?: string): Promise<string> {
  const { status, text, body } = await api.write('POST', '/webhooks', { url, target });
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** Sends this many messages at once. Returns their ids. */
export async function sendMany(api: Api, count: number, to = 'globex'): Promise<string[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => api.send({ to })));
  for (const { status, text } of responses) if (status !== 201) throw new Error(text);
  return responses.map(({ body }) => body.id);
}

export async function wholeLog(api: Api, webhookId: string): Promise<LoggedAttempt[]> {
  return (await everyPage(api, `/webhooks/${webhookId}/deliveries`, { limit: 200 })).flat();
}

/** Waits until nothing is left to be attempted. */
export async function untilNothingIsPending({ sql }: TestService): Promise<void> {
  await until(async () => (await sql(`SELECT FROM webhook_attempts WHERE status = 'pending' LIMIT 1`)).length === 0);
}

export function deliveryIdOf({ headers }: Delivery): string {
  return String(headers['waybill-delivery-id']);
}

export function messageIdOf({ headers }: Delivery): string {
  return String(headers['webhook-id']);
}

export async function attemptsMadeBy(worker: ServiceProcess): Promise<number> {
  const address = /Listens on +(\S+)/.exec(worker.output())?.[1];
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const counts = [...metrics.matchAll(/^waybill_webhook_attempts_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
