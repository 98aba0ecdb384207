import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader, Rows } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookRow } from './webhook-row.tsx';

/** The service counts for one webhook at a time, and refuses whoever asks for too many at once. */
const COUNTED_AT_ONCE = 4;

export function WebhooksPage() {
  const list = useList('GET /v1/webhooks', { query: {} });
  const [isMaking, setMaking] = useState(false);
  const [counted, setCounted] = useState(0);
  return (
    <>
      <PageHeader
        title="Webhooks"
        actions={
          <Button look="primary" onClick={() => setMaking(true)} icon={<Plus className="size-4" aria-hidden />}>
            New webhook
          </Button>
        }
      >
        Every message that reaches your inbox is also posted, signed, to the URLs that you name here.
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
          <p>Name a URL of a program of yours. It hears of each message as it arrives, and need not ask for them.</p>
          <Button look="primary" className="mt-4" onClick={() => setMaking(true)}>
            Make a webhook
          </Button>
        </Empty>
      )}
      {list.hasMore ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {isMaking ? <NewWebhook onClose={() => setMaking(false)} /> : null}
    </>
  );
}
