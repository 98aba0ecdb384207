import { Ban, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAction, useList } from '../../api/queries.ts';
import type { Block } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { PageHeader, Row, Rows, Time } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { AddBlockDialog } from './add-block-dialog.tsx';
import { type Sender, useSenders } from './senders.ts';

export function BlocksPage() {
  const list = useList('GET /v1/blocks', { query: {} });
  const senders = useSenders();
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<Block>();
  const nameOf = ({ user_id, email_domain, handle }: Block) =>
    handle ?? email_domain ?? senderName(senders.find(({ id }) => id === user_id)) ?? (user_id as string);
  return (
    <>
      <PageHeader
        title="Blocks"
        actions={
          <Button look="primary" onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add a block
          </Button>
        }
      >
        What they send is refused, and they are told so. What has come stays, and you can still write to them.
      </PageHeader>
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={3} label="Loading blocks" />
      ) : list.items.length === 0 ? (
        <Empty icon={<Ban className="size-6" aria-hidden />} title="Nobody is blocked">
          <p>Block a person, a mailbox, a business, or a whole mail domain that you do not want to hear from.</p>
          <Button className="mt-4" onClick={() => setAdding(true)}>
            Add a block
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
                  {whatItCovers(block, nameOf(block))} · since <Time at={block.created_at} />
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

function whatItCovers({ user_id, email_domain, handle }: Block, name: string): string | null {
  if (handle !== null) return 'The business, and all who write for it';
  if (email_domain !== null) return 'The domain and all below it';
  return name === user_id ? 'A person or mailbox' : user_id;
}

function RemoveDialog({ block, name, onClose }: { block: Block; name: string; onClose(): void }) {
  const remove = useAction('DELETE /v1/blocks/{id}', { changes: ['GET /v1/blocks', 'GET /v1/contacts', 'GET /v1/contacts/by-party'] });
  return (
    <Confirm
      title={`Unblock ${name}?`}
      action="Unblock"
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { path: { id: block.id } },
          {
            onSuccess: () => {
              say(`${name} is no longer blocked.`);
              onClose();
            },
          },
        )
      }
    >
      {block.email_domain !== null
        ? 'Everybody of this domain can write to you again. What was refused in the meantime does not come after all.'
        : 'They can write to you again. What was refused in the meantime does not come after all.'}
    </Confirm>
  );
}
