import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded } from '../support/webhook-log.ts';

const GUIDE = path.resolve(import.meta.dirname, '../../../docs/guides/endpoint-was-down.md');
const PATIENTLY = { timeout: 60_000, interval: 50 };
const run = promisify(execFile);

test('the commands of the guide find an endpoint that was down, resume its webhook, and bring it all that it has missed', async () => {
  const receiver = await startReceiver();
  const service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '0' });
  try {
    const [acme, globex] = [await service.business('acme'), await service.business('globex')];
    const webhook = await createWebhook(globex.api, receiver.url('/hook'));
    await hasSucceeded(service, webhook);
    const [look, probe, limit, resume, recover, watch, pause] = [...readFileSync(GUIDE, 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(
      ([, block = '']) =>
        async () => {
          const env = { PATH: process.env['PATH'], URL: service.url, KEY: globex.secret, WEBHOOK: webhook.id };
          const { stdout } = await run('bash', ['-ec', block], { env });
          return stdout;
        },
    );
    if (!look || !probe || !limit || !resume || !recover || !watch || !pause) throw new Error('the guide has other commands');

    receiver.respond = withStatus(503);
    const { id: dropped } = (await acme.api.send({ to: 'globex' })).body;
    await attemptsOf(globex.api, webhook.id, 2);
    expect(await look()).toMatch(/"failing_since":"20.*"error":"responded with 503/s);
    await globex.api.patch(`/webhooks/${webhook.id}`, { active: false });
    const { id: missing } = (await acme.api.send({ to: 'globex' })).body;
    receiver.respond = withStatus(204);
    expect(await limit()).toContain('"max_per_second":20');
    expect(await resume()).toContain('"active":true');
    await expect.poll(watch, PATIENTLY).toContain('"state":"completed"');
    const arrived = () =>
      receiver.deliveries.filter(({ headers }) => headers['waybill-replay']).map(({ headers }) => headers['webhook-id']);
    await expect.poll(arrived, PATIENTLY).toEqual(expect.arrayContaining([dropped, missing]));
    expect(arrived()).toHaveLength(2);
    expect(await probe()).toContain('"queued":true');
    expect(await recover()).toContain('"id":"rcv_');
    await expect.poll(pause, PATIENTLY).toMatch(/"state":"paused"|The recovery is completed/);
  } finally {
    await service.stop();
    await receiver.stop();
  }
});
