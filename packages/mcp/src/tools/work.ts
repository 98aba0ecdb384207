import { type Consumer, type Waybill, WaybillError } from '@waybill/client';
import * as z from 'zod/v4';
import { fit } from '../fit.ts';
import { LEASE_DEFAULT_S, WAIT_MAX_S } from '../limits.ts';
import { type Lease, type LeasedMessage, leaseOne } from '../messages.ts';
import { messageId, type Tool, tool, type Workplace } from '../tool.ts';
import { cutMessage, messageSchema, messageView } from '../views.ts';

const consumer = z
  .string()
  .regex(/^[a-z0-9._-]{1,64}$/, 'must be up to 64 of a-z, 0-9, ".", "_" and "-"')
  .describe('The name of a consumer. A new name creates one, which begins with the messages that come from then on.');
const holder = z.string().min(1).max(100).optional().describe('Your name among several workers with the same key.');

function consumerOf({ waybill }: Workplace, name: string, holder: string | undefined): Consumer {
  return waybill.consumer(name, holder === undefined ? {} : { holder });
}

const nextMessage = tool({
  name: 'next_message',
  title: 'Take the next message',
  description:
    'Leases the next message of your inbox: no other worker gets it until the lease lapses. Acknowledge it when the work is done. The message is null if none came in time: ask again.',
  scope: 'read_write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    consumer,
    wait_s: z.number().int().min(0).max(WAIT_MAX_S).optional().describe('Seconds to wait for a message; 0 by default.'),
    lease_s: z.number().int().min(1).max(43_200).optional().describe(`Seconds until the lease lapses; ${LEASE_DEFAULT_S} by default.`),
    holder,
  }),
  output: z.object({
    message: messageSchema.nullable(),
    tries: z.number().optional().describe('How often the message has been leased, this time included.'),
    lease_until: z.string().optional(),
  }),
  isUntrusted: true,
  run: async (workplace, { consumer, wait_s = 0, lease_s = LEASE_DEFAULT_S, holder }, signal) => {
    const leased = await lease(workplace.waybill, { consumer, holder, wait_s, lease_s }, signal);
    if (!leased) return { message: null };
    const view = messageView(leased.message, workplace.self);
    const [message = view] = fit([view], workplace.resultMaxChars, cutMessage).items;
    return { message, tries: leased.tries, lease_until: leased.lease_until };
  },
});

/** Creates a missing consumer. An existing one keeps its filter, which PUT would change. */
async function lease(waybill: Waybill, wanted: Lease, signal: AbortSignal): Promise<LeasedMessage | undefined> {
  try {
    return await leaseOne(waybill, wanted, signal);
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code !== 'not_found') throw error;
  }
  await waybill.consumer(wanted.consumer).put({ start: 'now' }, { signal });
  return leaseOne(waybill, wanted, signal);
}

const acknowledge = tool({
  name: 'acknowledge',
  title: 'Acknowledge a message',
  description: 'Says that the work on a leased message is done, so that it does not come again. It stays in your inbox.',
  scope: 'read_write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ consumer, message_id: messageId(), holder }),
  output: z.object({
    acknowledged: z
      .boolean()
      .describe('False if you do not hold the message (any more): another worker may have it, or it is acknowledged.'),
  }),
  isUntrusted: false,
  run: async (workplace, { consumer, message_id, holder }, signal) => {
    const { acknowledged } = await consumerOf(workplace, consumer, holder).ack([message_id], { signal });
    return { acknowledged: acknowledged > 0 };
  },
});

export const workTools: Tool[] = [nextMessage, acknowledge];
