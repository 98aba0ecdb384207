import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft, CirclePause, CirclePlay, Ellipsis, FlaskConical, History, KeyRound, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keyOf, useAction, useReading } from '../../api/queries.ts';
import type { Webhook } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { Failing, Paused } from './paused.tsx';
import { RecoverWebhook } from './recover-webhook.tsx';
import { Recoveries } from './recoveries.tsx';
import { ResumeWebhook } from './resume-webhook.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { Statistics } from './statistics.tsx';
import { TestOutcome } from './test-outcome.tsx';
import { WebhookFacts } from './webhook-facts.tsx';

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

type Opened = 'edit' | 'rotate' | 'resume' | 'recover' | 'delete' | undefined;

function Shown({ webhook }: { webhook: Webhook }) {
  const { id, url, active, pause, failing_since } = webhook;
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const test = useAction('POST /v1/webhooks/{id}/test', { changes: ['GET /v1/webhooks/{id}/messages'] });
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
            <Button onClick={() => setOpened('edit')} icon={<Pencil className="size-4" aria-hidden />}>
              Edit
            </Button>
            <More webhook={webhook} onOpen={setOpened} />
          </>
        }
      />
      {pause ? <Paused pause={pause} onResume={() => setOpened('resume')} /> : failing_since ? <Failing since={failing_since} /> : null}
      <TestOutcome id={id} test={test} />
      <WebhookFacts webhook={webhook} />
      <Recoveries id={id} />
      <Statistics id={id} />
      <DeliveryLog id={id} />
      {opened === 'edit' ? <EditWebhook webhook={webhook} onClose={close} /> : null}
      {opened === 'rotate' ? <RotateSecret id={id} onClose={close} /> : null}
      {opened === 'resume' ? <ResumeWebhook id={id} onClose={close} /> : null}
      {opened === 'recover' ? <RecoverWebhook id={id} onClose={close} /> : null}
      {opened === 'delete' ? <DeleteWebhook webhook={webhook} onClose={close} /> : null}
    </>
  );
}

function More({ webhook: { id, active }, onOpen }: { webhook: Webhook; onOpen(what: Opened): void }) {
  const change = useAction('PATCH /v1/webhooks/{id}', { changes: ['GET /v1/webhooks', 'GET /v1/webhooks/{id}'] });
  const pause = () => change.mutate({ path: { id }, body: { active: false } }, { onSuccess: () => say('Webhook paused') });
  return (
    <>
      <Menu
        name="More actions"
        label={<Ellipsis className="size-4" aria-hidden />}
        isLeftward
        className="grid size-9 place-items-center rounded-lg border border-line hover:bg-hover"
      >
        <MenuItem onSelect={() => (active ? pause() : onOpen('resume'))}>
          {active ? <CirclePause className="size-4" aria-hidden /> : <CirclePlay className="size-4" aria-hidden />}
          {active ? 'Pause' : 'Resume…'}
        </MenuItem>
        <MenuItem onSelect={() => onOpen('recover')}>
          <History className="size-4" aria-hidden />
          Recover messages…
        </MenuItem>
        <MenuItem onSelect={() => onOpen('rotate')}>
          <KeyRound className="size-4" aria-hidden />
          Rotate secret…
        </MenuItem>
        <MenuLine />
        <MenuItem isDangerous onSelect={() => onOpen('delete')}>
          <Trash2 className="size-4" aria-hidden />
          Delete…
        </MenuItem>
      </Menu>
      {change.error ? <ErrorNote error={change.error} /> : null}
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
