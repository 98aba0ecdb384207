import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formBody, typeOfForm } from '../support/form.ts';
import { type FormService, sha256Of, startFormService } from '../support/form-service.ts';
import type { TestBusiness } from '../support/service.ts';

const MB = 1_048_576;
const SENDERS = 20;
const FILE_MB = 25;
/** All clients send the same buffer, because they run in this process and must take hardly any memory. */
const megabyte = Buffer.alloc(MB, 'waybill ');

/** Sends a form piece by piece, at the pace of the service. */
async function sendPieceByPiece(url: string, secret: string): Promise<{ status: number | undefined; text: string }> {
  const [before = '', after = ''] = formBody([
    { name: 'to', bytes: 'globex' },
    { filename: 'large', bytes: 'MARK' },
  ])
    .toString()
    .split('MARK');
  const headers = { authorization: `Bearer ${secret}`, ...typeOfForm(), 'content-length': before.length + FILE_MB * MB + after.length };
  const sending = request(`${url}/v1/messages`, { method: 'POST', headers, agent: false });
  const responded = once(sending, 'response');
  sending.write(before);
  for (let i = 0; i < FILE_MB; i++) if (!sending.write(megabyte)) await once(sending, 'drain');
  sending.end(after);
  const [response] = await responded;
  return { status: response.statusCode, text: (await response.setEncoding('utf8').toArray()).join('') };
}

let service: FormService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startFormService();
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

test('twenty files of 25 MB at once are never held in memory', async () => {
  await sendPieceByPiece(service.url, acme.secret);
  const start = process.memoryUsage.rss();
  let peak = start;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const responses = await Promise.all(Array.from({ length: SENDERS }, () => sendPieceByPiece(service.url, acme.secret)));
  clearInterval(watch);
  expect(responses.map(({ status }) => status)).toEqual(Array(SENDERS).fill(201));
  const expected = sha256Of(Buffer.concat(Array(FILE_MB).fill(megabyte)));
  for (const { text } of responses) expect(JSON.parse(text).files).toMatchObject([{ size_bytes: FILE_MB * MB, sha256: expected }]);
  expect(peak - start).toBeLessThan((SENDERS * FILE_MB * MB) / 4);
});
