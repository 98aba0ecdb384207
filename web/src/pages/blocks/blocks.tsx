import { Ban, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAction, useList } from '../../api/queries.ts';
import type { Block } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { PageHeader, Row, Rows, Time } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { AddBlockDialog } from './add-block-dialog.tsx';
import { type Sender, useSenders } from './senders.ts';

export function BlocksPage() {
  const list = useList('GET /v1/blocks', { query: {} });
  const senders = useSenders();
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<Block>();
  const nameOf = ({ user_id, email_domain, handle }: Block) =>
    handle ?? email_domain ?? senderName(senders.find(({ id }) => id === user_id)) ?? user_id ?? '';
  return (
    <>
      <PageHeader
        title="Blocks"
        actions={
          <Button look="primary" onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add block
          </Button>
        }
      >
        Messages from blocked senders are refused, and the sender is told. Earlier messages stay, and you can still write to them.
      </PageHeader>
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={3} label="Loading blocks" />
      ) : list.items.length === 0 ? (
        <Empty icon={<Ban className="size-6" aria-hidden />} title="No blocks">
          <p>Block a person, a mailbox, a business or an email domain to refuse its messages.</p>
          <Button className="mt-4" onClick={() => setAdding(true)}>
            Add block
          </Button>
        </Empty>
      ) : (
        <Rows label="Blocks">
          {list.items.map((block) => (
            <Row key={block.id}>
              <div className="min-w-0 flex-1">
                <p className="font-medium break-all">
                  <Name>{nameOf(block)}</Name>
                </p>
                <p className="text-sm break-all text-soft">
                  {coverageOf(block, nameOf(block))} · blocked <Time at={block.created_at} />
                </p>
              </div>
              <Button look="quiet" onClick={() => setToRemove(block)} aria-label={visible(`Unblock ${nameOf(block)}`)}>
                Unblock
              </Button>
            </Row>
          ))}
        </Rows>
      )}
      {list.hasMore ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {isAdding ? <AddBlockDialog senders={senders} onClose={() => setAdding(false)} /> : null}
      {toRemove ? <RemoveDialog block={toRemove} name={nameOf(toRemove)} onClose={() => setToRemove(undefined)} /> : null}
    </>
  );
}

const senderName = (sender: Sender | undefined) => sender && (sender.email === null ? sender.name : `${sender.name} (${sender.email})`);

function coverageOf({ user_id, email_domain, handle }: Block, name: string): string | null {
  if (handle !== null) return 'Business and everyone who writes for it';
  if (email_domain !== null) return 'Domain and its subdomains';
  return name === user_id ? 'Person or mailbox' : user_id;
}

function RemoveDialog({ block, name, onClose }: { block: Block; name: string; onClose(): void }) {
  const remove = useAction('DELETE /v1/blocks/{id}', { changes: ['GET /v1/blocks', 'GET /v1/contacts', 'GET /v1/contacts/by-party'] });
  return (
    <Confirm
      title={`Unblock ${name}?`}
      action="Unblock"
      run={() => remove.mutateAsync({ path: { id: block.id } })}
      done={`${name} unblocked`}
      onClose={onClose}
    >
      {block.email_domain !== null
        ? 'Everyone at this domain can write to you again. Messages that were refused are not delivered.'
        : 'They can write to you again. Messages that were refused are not delivered.'}
    </Confirm>
  );
}
