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
        title={`Webhook to ${hostOf(url)}`}
        actions={
          <>
            <Button
              look="primary"
              isBusy={test.isPending}
              disabled={!active}
              onClick={() => test.mutate({ path: { id } })}
              icon={<FlaskConical className="size-4" aria-hidden />}
            >
              Send test
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
              <CopyButton text={url} label="Copy URL" isIcon />
            </span>
          </span>
        </Fact>
        <Fact name="Receives">
          <Receives target={target} />
        </Fact>
        <Fact name="Status">{active ? <Badge>Active</Badge> : <Badge tone="warn">Paused</Badge>}</Fact>
        <Fact name="Created">
          <Time at={created_at} isExact />
        </Fact>
        <Fact name="Signature">
          Each delivery is signed with the secret of this webhook.{' '}
          <a href="/docs/receive-webhooks" target="_blank" rel="noreferrer" className="text-accent underline">
            How to verify signatures
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
  const deleteWebhook = async () => {
    await remove.mutateAsync({ path: { id } });
    await navigate({ to: '/webhooks', replace: true });
    // Going back must not show the cached webhook.
    queries.removeQueries({ queryKey: keyOf('GET /v1/webhooks/{id}', { path: { id } }) });
  };
  return (
    <Confirm title="Delete this webhook?" action="Delete webhook" run={deleteWebhook} done="Webhook deleted" onClose={onClose}>
      <p>
        Deliveries to <span className="font-mono text-sm break-all text-ink">{url}</span> stop at once, pending retries included. The
        delivery log and the secret are deleted. Messages stay in your inbox.
      </p>
    </Confirm>
  );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
