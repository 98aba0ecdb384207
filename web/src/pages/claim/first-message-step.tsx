import { type FormEvent, useState } from 'react';
import { JsonText } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import type { Draft, Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, Fact, Facts, Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { Step } from './step.tsx';

const ORDER = `{
  "order": 1001,
  "items": [
    { "sku": "PALLET-EUR", "quantity": 12, "price": 18.50 }
  ],
  "currency": "EUR"
}`;

/** last: the newest message that the business has sent. */
export function FirstMessageStep({ last }: { last: Envelope | EnvelopeSummary | undefined }) {
  const [isWriting, setWriting] = useState(false);
  const send = useAction('POST /v1/messages', { changes: ['GET /v1/outbox', 'GET /v1/me'] });
  const sent = send.data ?? last;
  return (
    <Step number={1} title="Send a first message" isDone={sent !== undefined}>
      {sent === undefined || isWriting ? (
        <OrderForm
          isBusy={send.isPending}
          error={send.error}
          onSend={(body) => send.mutate({ body }, { onSuccess: () => setWriting(false) })}
        />
      ) : (
        <Sent message={sent} onAgain={() => setWriting(true)} />
      )}
    </Step>
  );
}

type SendingProps = Pick<ReturnType<typeof useAction<'POST /v1/messages'>>, 'error'> & { isBusy: boolean; onSend(body: Draft): void };

function OrderForm({ isBusy, error, onSend }: SendingProps) {
  const [subject, setSubject] = useState('Order 1001');
  const [json, setJson] = useState(ORDER);
  const [wrongJson, setWrongJson] = useState<string>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = whatIsWrong(json);
    setWrongJson(wrong);
    if (wrong !== undefined) return;
    const rest = JSON.stringify({ to: 'demo', type: 'order', subject }).slice(0, -1);
    // As it was written, so that 18.50 stays 18.50.
    onSend(new JsonText(`${rest},"json":${json}}`) as Draft);
  };
  return (
    <form onSubmit={onSubmit} className="space-y-3">
      <p className="text-soft">An order, as JSON, to @demo, which takes whatever you send.</p>
      <TextField label="Subject" maxLength={200} value={subject} onChange={({ target }) => setSubject(target.value)} />
      <TextArea
        label="JSON"
        rows={8}
        spellCheck={false}
        className="font-mono text-sm"
        value={json}
        onChange={({ target }) => setJson(target.value)}
        error={wrongJson ?? error?.at('/json')}
      />
      {error ? <ErrorNote error={error} /> : null}
      <Button type="submit" look="primary" isBusy={isBusy}>
        Send to @demo
      </Button>
    </form>
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
      <p className="mt-3 text-sm text-soft">Anybody you show the receipt to can check what was delivered, and when.</p>
      <Button className="mt-3" onClick={onAgain}>
        Send another
      </Button>
    </div>
  );
}

function whatIsWrong(json: string): string | undefined {
  try {
    JSON.parse(json);
    return undefined;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}.`;
  }
}
