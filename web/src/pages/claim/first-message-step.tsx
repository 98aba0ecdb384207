import { useState } from 'react';
import { JsonText } from '../../api/client.ts';
import { SUBJECT_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, Fact, Facts, Time } from '../../ui/parts.tsx';
import { useForm } from '../../ui/use-form.ts';
import { Step } from './step.tsx';
import { DEMO } from './team-steps.tsx';

const ORDER = `{
  "order": 1001,
  "items": [
    { "sku": "PALLET-EUR", "quantity": 12, "price": 18.50 }
  ],
  "currency": "EUR"
}`;

export function FirstMessageStep({ last }: { last: Envelope | EnvelopeSummary | undefined }) {
  const [isWriting, setWriting] = useState(false);
  const send = useAction('POST /v1/messages', { changes: ['GET /v1/outbox', 'GET /v1/me'] });
  const sent = send.data ?? last;
  return (
    <Step number={3} title="Send a test order as JSON" isDone={sent !== undefined}>
      {sent === undefined || isWriting ? (
        <OrderForm
          send={async (body) => {
            await send.mutateAsync({ body });
            setWriting(false);
          }}
        />
      ) : (
        <Sent message={sent} onAgain={() => setWriting(true)} />
      )}
    </Step>
  );
}

function OrderForm({ send }: { send(body: JsonText): Promise<void> }) {
  const form = useForm({
    initial: { subject: 'Order 1001', json: ORDER },
    check: ({ json }) => problemsIn(json),
    submit: ({ subject, json }) => {
      const rest = JSON.stringify({ to: DEMO, type: 'order', subject }).slice(0, -1);
      // The JSON is sent as typed, so that 18.50 stays 18.50.
      return send(new JsonText(`${rest},"json":${json}}`));
    },
  });
  return (
    <Form form={form} className="space-y-3">
      <p className="text-soft">Send an order as JSON to @demo, a test recipient that accepts everything.</p>
      <TextField label="Subject" maxLength={SUBJECT_MAX_CHARS} {...form.field('subject')} />
      <TextArea label="JSON" rows={8} spellCheck={false} className="font-mono text-sm" {...form.field('json')} />
      <SubmitButton form={form}>Send to @demo</SubmitButton>
    </Form>
  );
}

function Sent({ message, onAgain }: { message: Envelope | EnvelopeSummary; onAgain(): void }) {
  return (
    <div className="rounded-xl border border-line px-4 py-3">
      <Facts>
        <Fact name="Delivered">
          {message.subject === null ? null : <Name>{`${message.subject} `}</Name>}to {addressOf(message.to.party)},{' '}
          <Time at={message.received_at} />
        </Fact>
        <Fact name="Receipt">
          <a href={message.receipt_url} target="_blank" rel="noopener" className="break-all text-accent underline">
            {message.receipt_url}
          </a>
        </Fact>
        <Fact name="Hash">
          <code className="font-mono text-sm break-all">{message.content_hash}</code>
        </Fact>
      </Facts>
      <p className="mt-3 text-sm text-soft">Anyone with the receipt link can verify what was delivered and when.</p>
      <Button className="mt-3" onClick={onAgain}>
        Send another
      </Button>
    </div>
  );
}

function problemsIn(json: string): { json?: string } {
  try {
    JSON.parse(json);
    return {};
  } catch (error) {
    return { json: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
}
