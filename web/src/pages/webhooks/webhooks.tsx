import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader, Rows } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookRow } from './webhook-row.tsx';

/** The service limits how many statistics are computed at once. */
const COUNTED_AT_ONCE = 4;

export function WebhooksPage() {
  const list = useList('GET /v1/webhooks', { query: {} });
  const [isCreating, setCreating] = useState(false);
  const [counted, setCounted] = useState(0);
  return (
    <>
      <PageHeader
        title="Webhooks"
        actions={
          <Button look="primary" onClick={() => setCreating(true)} icon={<Plus className="size-4" aria-hidden />}>
            New webhook
          </Button>
        }
      >
        Each incoming message is posted, signed, to your URLs.
      </PageHeader>
      {list.error ? <ErrorNote error={list.error} onRetry={list.retry} /> : null}
      {list.isPending ? (
        <Loading rows={3} label="Loading webhooks" />
      ) : list.items.length > 0 ? (
        <Rows label="Webhooks">
          {list.items.map((webhook, index) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              isCounted={index < counted + COUNTED_AT_ONCE}
              onCounted={() => setCounted((others) => Math.max(others, index + 1))}
            />
          ))}
        </Rows>
      ) : list.error ? null : (
        <Empty icon={<WebhookIcon className="size-6" aria-hidden />} title="No webhooks yet">
          <p>Add the URL of your program to receive each message as it arrives, without polling.</p>
          <Button look="primary" className="mt-4" onClick={() => setCreating(true)}>
            New webhook
          </Button>
        </Empty>
      )}
      {list.hasMore ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {isCreating ? <NewWebhook onClose={() => setCreating(false)} /> : null}
    </>
  );
}
