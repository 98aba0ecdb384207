import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft, FlaskConical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keyOf, useAction, useReading } from '../../api/queries.ts';
import type { Webhook } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Badge, CopyButton, Fact, Facts, PageHeader, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useDeliveries } from './deliveries.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { Paused } from './paused.tsx';
import { Receives } from './receives.tsx';
import { Statistics } from './statistics.tsx';
import { TestOutcome } from './test-outcome.tsx';

export function WebhookPage() {
  const { id } = useParams({ from: '/app/webhooks/$id' });
  const webhook = useReading('GET /v1/webhooks/{id}', { path: { id } });
  return (
    <>
      <Link to="/webhooks" className="mb-2 inline-flex items-center gap-1 rounded text-sm text-soft hover:text-ink">
        <ChevronLeft className="size-4" aria-hidden />
        Webhooks
      </Link>
      {webhook.data ? null : <PageHeader title="Webhook" />}
      <States of={webhook}>{(data) => <Shown key={data.id} webhook={data} />}</States>
    </>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { id, url, target, active, created_at } = webhook;
  const [isDeleting, setDeleting] = useState(false);
  const log = useDeliveries(id);
  const test = useAction('POST /v1/webhooks/{id}/test', { changes: ['GET /v1/webhooks/{id}/deliveries'] });
  return (
    <>
      <PageHeader
        title={hostOf(url)}
        actions={
          <>
            <Button
              look="primary"
              isBusy={test.isPending}
              disabled={!active}
              onClick={() => test.mutate({ path: { id } })}
              icon={<FlaskConical className="size-4" aria-hidden />}
            >
              Send a test
            </Button>
            <Button onClick={() => setDeleting(true)} icon={<Trash2 className="size-4" aria-hidden />}>
              Delete
            </Button>
          </>
        }
      />
      {webhook.pause ? <Paused id={id} pause={webhook.pause} /> : null}
      <TestOutcome test={test} log={log} />
      <Facts>
        <Fact name="URL">
          <span className="inline-flex max-w-full items-start gap-1">
            <span className="min-w-0 font-mono text-sm break-all">{url}</span>
            <span className="-my-1.5">
              <CopyButton text={url} label="Copy the URL" isIcon />
            </span>
          </span>
        </Fact>
        <Fact name="Receives">
          <Receives target={target} />
        </Fact>
        <Fact name="State">{active ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Paused</Badge>}</Fact>
        <Fact name="Made">
          <Time at={created_at} isExact />
        </Fact>
        <Fact name="Signature">
          Each delivery is signed with the secret that was shown once.{' '}
          <a href="/docs/receive-webhooks" target="_blank" rel="noreferrer" className="text-accent underline">
            How to verify it
          </a>
        </Fact>
      </Facts>
      <Statistics id={id} />
      <DeliveryLog log={log} />
      {isDeleting ? <DeleteWebhook webhook={webhook} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

function DeleteWebhook({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose(): void }) {
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/webhooks/{id}', { changes: ['GET /v1/webhooks'] });
  const queries = useQueryClient();
  const onDeleted = async () => {
    say('The webhook is deleted.');
    await navigate({ to: '/webhooks', replace: true });
    // So that nobody who comes back sees it as it was.
    queries.removeQueries({ queryKey: keyOf('GET /v1/webhooks/{id}', { path: { id } }) });
  };
  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete webhook"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      <p>
        Nothing more is posted to <span className="font-mono text-sm break-all text-ink">{url}</span>, not even what is still to be tried
        again. Its delivery log and its secret go with it. Messages stay in your inbox.
      </p>
    </Confirm>
  );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
