// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=4000 node examples/webhook-receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
const seen = new Set<string>(); // in earnest: a table with the message ids you have dealt with

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request));
  const [, time = '', signatures = ''] = /^t=(\d+)((?:,v1=[0-9a-f]{64})+)$/.exec(String(request.headers['waybill-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const given = signatures.split(',v1=').slice(1); // two for a while after a rotation
  const isGenuine = given.some((v1) => timingSafeEqual(expected, Buffer.from(v1, 'hex')));
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= 300;
  if (!isGenuine || !isFresh) return response.writeHead(401).end();
  const message = JSON.parse(body.toString());
  if (!seen.has(message.id)) console.log(request.headers['waybill-event'], message.id, message.type, message.subject);
  seen.add(message.id); // a delivery may come twice
  response.writeHead(204).end();
});
server.listen(Number(process.env['PORT'] ?? 4000), () => console.log('listening'));
