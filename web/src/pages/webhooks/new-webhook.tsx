import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

const FIELDS = ['/url', '/target'];
const MESSAGES = [
  { value: 'all', label: 'All messages' },
  { value: 'segment', label: 'Only messages to one segment', hint: 'For a program that cares for one part of your business.' },
] as const;

/** Asks for a URL, then shows the secret, then leads to the webhook, where it can be tested. */
export function NewWebhook({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const [messages, setMessages] = useState<'all' | 'segment'>('all');
  const [target, setTarget] = useState('');
  const make = useAction('POST /v1/webhooks', { changes: ['GET /v1/webhooks'] });
  const { data: made, error } = make;

  if (made)
    return (
      <SecretDialog
        title="The webhook is made"
        secret={made.secret}
        label="secret"
        onClose={() => void navigate({ to: '/webhooks/$id', params: { id: made.id } })}
      >
        <p className="mt-4 text-sm text-soft">
          It signs every delivery, so that your program can tell ours from anybody’s.{' '}
          <a href="/docs/receive-webhooks" target="_blank" rel="noreferrer" className="text-accent underline">
            How to verify a signature
          </a>
        </p>
      </SecretDialog>
    );
  const isUrlRefused = error?.code === 'invalid_webhook_url';
  return (
    <FormDialog
      title="New webhook"
      action="Make webhook"
      isBusy={make.isPending}
      error={isUrlRefused ? null : error}
      fields={FIELDS}
      onSubmit={() => make.mutate({ body: { url: url.trim(), target: messages === 'all' ? null : target.trim() } })}
      onClose={onClose}
    >
      <TextField
        label="URL"
        type="url"
        inputMode="url"
        placeholder="https://hooks.example.com/waybill"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        maxLength={2_048}
        autoComplete="off"
        spellCheck={false}
        error={isUrlRefused ? error.message : error?.at('/url')}
        hint="HTTPS, on a host that the public internet can reach."
      />
      <Choice label="Messages" options={MESSAGES} value={messages} onChange={setMessages} />
      {messages === 'segment' ? <Target value={target} onChange={setTarget} error={error?.at('/target')} /> : null}
    </FormDialog>
  );
}

interface TargetProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}

function Target({ value, onChange, error }: TargetProps) {
  const handle = useActiveBusiness() ?? '';
  const { data: me } = useReading('GET /v1/me', {});
  const domain = me?.addresses.email.split('@')[1] ?? '…';
  return (
    <TextField
      label="Segment"
      placeholder="orders"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      maxLength={512}
      {...VERBATIM}
      error={error}
      hint={
        <>
          Its name, such as <Form>orders</Form>, its address <Form>{handle}/orders</Form>, or its mail address{' '}
          <Form>
            {handle}+orders@{domain}
          </Form>
          . All three mean the same.
        </>
      }
    />
  );
}

function Form({ children }: { children: React.ReactNode }) {
  return <code className="font-mono wrap-anywhere text-ink">{children}</code>;
}
