import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { ADDRESS_MAX_CHARS, WEBHOOK_URL_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { type Form, useForm } from '../../ui/use-form.ts';

type Fields = { url: string; messages: 'all' | 'segment'; target: string };

const MESSAGES = [
  { value: 'all', label: 'All messages' },
  { value: 'segment', label: 'Messages to one segment', hint: 'For a program that handles one part of your business.' },
] as const;

export function NewWebhook({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const create = useAction('POST /v1/webhooks', { changes: ['GET /v1/webhooks'] });
  const form = useForm<Fields>({
    initial: { url: '', messages: 'all', target: '' },
    codes: { invalid_webhook_url: 'url' },
    submit: ({ url, messages, target }) =>
      create.mutateAsync({ body: { url: url.trim(), target: messages === 'all' ? null : target.trim() } }),
  });
  const { data: created } = create;
  if (created)
    return (
      <SecretDialog
        title="Webhook created"
        secret={created.secret}
        label="secret"
        onClose={() => void navigate({ to: '/webhooks/$id', params: { id: created.id } })}
      >
        <p className="mt-4 text-sm text-soft">
          Every delivery is signed with it. Verify the signature to know that a delivery comes from Waybill.{' '}
          <a href="/docs/receive-orders-by-webhook" target="_blank" rel="noreferrer" className="text-accent underline">
            How to verify signatures
          </a>
        </p>
      </SecretDialog>
    );
  return (
    <FormDialog title="New webhook" action="Create webhook" form={form} onClose={onClose}>
      <TextField
        label="URL"
        type="url"
        inputMode="url"
        placeholder="https://hooks.example.com/waybill"
        maxLength={WEBHOOK_URL_MAX_CHARS}
        {...VERBATIM}
        hint="An HTTPS URL that is reachable from the internet."
        {...form.field('url')}
      />
      <Choice label="Messages" options={MESSAGES} value={form.fields.messages} onChange={(messages) => form.set({ messages })} />
      {form.fields.messages === 'segment' ? <TargetField form={form} /> : null}
    </FormDialog>
  );
}

function TargetField({ form }: { form: Form<Fields> }) {
  const handle = useActiveBusiness() ?? '';
  const { data: me } = useReading('GET /v1/me', {});
  const domain = me?.addresses.email?.split('@')[1];
  return (
    <TextField
      label="Segment"
      placeholder="orders"
      maxLength={ADDRESS_MAX_CHARS}
      {...VERBATIM}
      hint={
        <>
          Its name (<Example>orders</Example>) or its address (<Example>{handle}/orders</Example>
          {domain === undefined ? null : (
            <>
              , <Example>{`${handle}+orders@${domain}`}</Example>
            </>
          )}
          ).
        </>
      }
      {...form.field('target')}
    />
  );
}

function Example({ children }: { children: ReactNode }) {
  return <code className="font-mono wrap-anywhere text-ink">{children}</code>;
}
