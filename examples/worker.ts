// Takes messages with a consumer: URL=http://127.0.0.1:3000 KEY=wb_… node examples/worker.ts
import { hostname } from 'node:os';

const { URL: url = 'http://127.0.0.1:3000', KEY: key = '', CONSUMER: name = 'worker' } = process.env;
const holder = `${hostname()}-${process.pid}`; // each worker has a name of its own
let isStopping = false;
process.on('SIGTERM', () => {
  isStopping = true;
});

// biome-ignore lint/suspicious/noExplicitAny: responses of several shapes
async function call(method: string, path: string, body: object): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/consumers/${name}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

const seen = new Set<string>(); // in earnest: a table with the message ids you have dealt with

function handle({ id, type, subject }: { id: string; type: string | null; subject: string | null }): void {
  if (type === 'poison') throw new Error('can’t deal with it');
  if (!seen.has(id)) console.log(id, type, subject);
  seen.add(id); // a message may come twice
}

await call('PUT', '', {}); // creates the consumer if it does not exist
console.log('working');
while (!isStopping) {
  try {
    const { data } = await call('POST', '/lease', { holder, limit: 10, lease_s: 60, wait_s: 20 });
    for (const { message } of data) {
      try {
        handle(message);
        await call('POST', '/ack', { holder, ids: [message.id] });
      } catch (error) {
        await call('POST', '/release', { holder, ids: [message.id], delay_s: 60, reason: String(error).slice(0, 500) });
      }
    }
  } catch (error) {
    console.error(String(error)); // the service can't be reached, or is busy
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
