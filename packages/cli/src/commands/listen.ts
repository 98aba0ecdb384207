import { randomBytes } from 'node:crypto';
import { type Message, signWebhook } from '@waybill/client';
import { type Call, type Command, UsageError } from '../command.ts';
import { localTime, visible } from '../output.ts';

const POST_TIMEOUT_MS = 10_000;
const TRIES = 3;
const AT_ONCE = 5;
const SECRET_BYTES = 32;

export const listen: Command[] = [
  {
    name: 'listen',
    args: '',
    help: 'Posts each message that arrives to a program on your machine, signed like a webhook: no tunnel is needed. Ends with Ctrl-C. What gets no 2xx is posted up to three times.',
    options: {
      'forward-to': { type: 'string', value: '<url>', help: 'Where to post, such as http://localhost:3000/hook' },
      type: { type: 'string', short: 't', value: '<type>', multiple: true, help: 'Only this type, such as order.*; can be repeated' },
      secret: { type: 'string', value: '<whsec_…>', help: 'Sign with this secret; a new one by default' },
      consumer: {
        type: 'string',
        value: '<name>',
        help: 'Continue with this consumer, which stays; by default one of its own, which is deleted',
      },
    },
    examples: [
      'waybill listen --forward-to http://localhost:3000',
      'waybill listen --forward-to http://localhost:3000/hook --type order --secret "$WEBHOOK_SECRET"',
    ],
    run: async (call) => {
      const { options, output, waybill, signal } = call;
      const target = targetOf(options.text('forward-to'));
      const secret = options.text('secret') ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      const name = options.text('consumer') ?? `listen-${randomBytes(6).toString('hex')}`;
      const types = options.list('type');
      const settings = { ...(types.length > 0 && { filter: { types } }), max_tries: TRIES };
      const handle = (message: Message) => forward(call, message, target, secret);
      const consumer = waybill().consumer(name);
      if (options.text('consumer') === undefined || types.length > 0) await consumer.put(settings, { signal });
      output.note(`Posting to ${target}. The secret is ${secret}\nCtrl-C ends it.`);
      try {
        await waybill().consume(name, handle, { signal, concurrency: AT_ONCE, retryDelayS: () => 1 });
      } finally {
        if (options.text('consumer') === undefined) await consumer.delete({ timeoutMs: 5_000 }).catch(() => undefined);
      }
    },
  },
];

function targetOf(given: string | undefined): string {
  if (given === undefined) throw new UsageError('Give the address of your program: --forward-to http://localhost:3000');
  const url = URL.parse(given);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--forward-to must be an address such as http://localhost:3000; it is ${given}`);
  return url.href;
}

/** Throws unless the program responds with 2xx, so that the message comes again. */
async function forward({ output }: Call, message: Message, target: string, secret: string): Promise<void> {
  const begun = performance.now();
  const body = message.envelopeText;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill-cli/1.0',
    'waybill-event': 'message.received',
    'waybill-delivery-id': `dlv_${randomBytes(13).toString('hex')}`,
    ...(await signWebhook(secret, { id: message.id, body })),
  };
  let status: number | undefined;
  let failure = '';
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
    });
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    failure = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  }
  const isTaken = status !== undefined && status >= 200 && status < 300;
  const ms = Math.round(performance.now() - begun);
  const shown = output.paint(isTaken ? 'green' : 'red', String(status ?? 'failed'));
  const { id: message_id, type } = message;
  output.result({ message_id, type, status: status ?? null, ms, error: failure || null }, () =>
    [localTime(new Date().toISOString()), shown, `${ms} ms`, message_id, visible(type ?? ''), visible(failure)].join('  ').trimEnd(),
  );
  if (!isTaken) throw new Error(failure || `The program responded with ${status}.`);
}
