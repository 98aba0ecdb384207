import type { Delivery, Webhook } from '../../api/schema.ts';

type WebhookEvent = Webhook['events'][number];

interface EventWords {
  event: WebhookEvent;
  label: string;
  hint: string;
  one: string;
}

const EVENTS: readonly EventWords[] = [
  { event: 'message.received', label: 'Messages received', hint: 'Every message to your inbox, replies included.', one: 'Message' },
  { event: 'message.sent', label: 'Messages sent', hint: 'Every message that your business sends.', one: 'Sent message' },
  { event: 'schema.failed', label: 'Schema failed', hint: 'Received messages whose JSON fails your schema.', one: 'Schema failed' },
  { event: 'thread.updated', label: 'Threads updated', hint: 'Status, assignee, labels and comments.', one: 'Thread updated' },
  { event: 'webhook.paused', label: 'Webhooks paused', hint: 'Another webhook of your business was paused.', one: 'Webhook paused' },
  {
    event: 'message.acknowledged',
    label: 'Messages acknowledged',
    hint: 'A recipient accepted, rejected or processed your message.',
    one: 'Acknowledgement',
  },
  { event: 'message.expired', label: 'Messages expired', hint: 'Nobody took your message within its time.', one: 'Expired message' },
  { event: 'file.hashed', label: 'Files hashed', hint: 'A large file got its hash, after the delivery.', one: 'File hashed' },
];

export function nameOfEvent({ event, replay }: Pick<Delivery, 'event' | 'replay'>): string {
  if (event === 'message.test') return 'Test';
  return replay ? 'Redelivery' : (EVENTS.find((one) => one.event === event)?.one ?? event);
}

export function labelOfEvent(event: WebhookEvent): string {
  return EVENTS.find((one) => one.event === event)?.label ?? event;
}

export function eventsIn(text: string): WebhookEvent[] {
  const names = text.split(' ');
  return EVENTS.map(({ event }) => event).filter((event) => names.includes(event));
}

export function EventChoice({ value, onChange }: { value: readonly WebhookEvent[]; onChange(events: WebhookEvent[]): void }) {
  const toggle = (event: WebhookEvent, isOn: boolean) => {
    const next = EVENTS.map((one) => one.event).filter((one) => (one === event ? isOn : value.includes(one)));
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-line">
        {EVENTS.map(({ event, label, hint }) => (
          <label key={event} className="flex items-start gap-3 px-3 py-2 hover:bg-hover has-checked:bg-tint">
            <input
              type="checkbox"
              checked={value.includes(event)}
              onChange={({ target }) => toggle(event, target.checked)}
              aria-label={label}
              className="mt-1 accent-accent"
            />
            <span>
              <span className="block font-medium">{label}</span>
              <span className="block text-sm text-soft">{hint}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
