import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forget, useAction, useList, useReading } from '../../api/queries.ts';
import type { Block, Party } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { addressOf } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useContactLists } from './contact-list.ts';

/** What of a party a block can name. */
interface Target {
  domains: readonly string[];
  /** Of whoever writes from a private mailbox. */
  userId: string | undefined;
}

/** Blocks a party as a whole where the API can, or takes away the blocks that cover it. */
export function BlockContact({ party, onClose }: { party: Party; onClose(): void }) {
  const { target, error } = useTarget(party);
  const blocks = useList('GET /v1/blocks', { query: {} });
  const covering = target && blocks.items.filter((block) => covers(block, target));
  const isFound = covering !== undefined && (covering.length > 0 || !blocks.hasMore);
  useEffect(() => {
    if (covering?.length === 0 && blocks.hasMore && !blocks.isFetchingMore) blocks.more();
  }, [covering?.length, blocks.hasMore, blocks.isFetchingMore, blocks.more]);

  const name = addressOf(party);
  const failed = error ?? blocks.error;
  if (failed || !target || !isFound || blocks.isPending)
    return (
      <Dialog title={`Block ${name}`} onClose={onClose}>
        {failed ? <ErrorNote error={failed} onRetry={blocks.retry} /> : <Loading rows={1} />}
      </Dialog>
    );
  if (covering.length > 0) return <Unblock name={name} blocks={covering} onClose={onClose} />;
  const toBlock = party.kind === 'mailbox' ? target.userId : target.domains[0];
  if (toBlock === undefined) return <NotBlockable party={party} onClose={onClose} />;
  return <BlockNow party={party} target={target} onClose={onClose} />;
}

function useTarget(party: Party) {
  const profile = useReading(
    'GET /v1/public/{handle}',
    { path: { handle: party.kind === 'handle' ? party.handle : '' } },
    { enabled: party.kind === 'handle' },
  );
  const newest = useReading(
    'GET /v1/inbox',
    { query: { from: party.kind === 'mailbox' ? party.email : '', limit: 1 } },
    { enabled: party.kind === 'mailbox' },
  );
  if (party.kind === 'domain') return { target: { domains: [party.domain], userId: undefined }, error: null };
  if (party.kind === 'handle')
    return { target: profile.data && { domains: profile.data.verified_domains, userId: undefined }, error: profile.error };
  const domain = party.email.slice(party.email.lastIndexOf('@') + 1);
  return { target: newest.data && { domains: [domain], userId: newest.data.data[0]?.from.actor.id }, error: newest.error };
}

function covers({ user_id, email_domain }: Block, { domains, userId }: Target): boolean {
  if (user_id !== null) return user_id === userId;
  return domains.some((domain) => domain === email_domain || domain.endsWith(`.${email_domain}`));
}

/** Closes first: what is read anew then would turn the question around. */
function useFinish(onClose: () => void) {
  const queries = useQueryClient();
  const lists = useContactLists();
  return (text: string) => {
    onClose();
    say(text);
    void lists.anew();
    void forget(queries, 'GET /v1/blocks');
  };
}

function BlockNow({ party, target, onClose }: { party: Party; target: Target; onClose(): void }) {
  const block = useAction('POST /v1/blocks');
  const finish = useFinish(onClose);
  const isMailbox = party.kind === 'mailbox';
  const confirm = async () => {
    if (isMailbox) await block.mutateAsync({ body: { user_id: target.userId ?? '' } });
    else for (const domain of target.domains) await block.mutateAsync({ body: { email_domain: domain } });
    finish(`${addressOf(party)} is blocked.`);
  };
  return (
    <Confirm
      title={`Block ${addressOf(party)}?`}
      action="Block"
      isBusy={block.isPending}
      error={block.error}
      // What went wrong is shown by then.
      onConfirm={() => void confirm().catch(() => {})}
      onClose={onClose}
    >
      <p>
        {isMailbox
          ? 'What this mailbox sends is refused from now on.'
          : `What people and mailboxes of ${target.domains.join(', ')} send is refused from now on, and so is what businesses send that have verified it.`}{' '}
        What has come stays, and you can still write to them.
      </p>
    </Confirm>
  );
}

function Unblock({ name, blocks, onClose }: { name: string; blocks: readonly Block[]; onClose(): void }) {
  const remove = useAction('DELETE /v1/blocks/{id}');
  const finish = useFinish(onClose);
  const confirm = async () => {
    for (const { id } of blocks) await remove.mutateAsync({ path: { id } });
    finish(`${name} is no longer blocked.`);
  };
  return (
    <Confirm
      title={`Unblock ${name}?`}
      action="Unblock"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => void confirm().catch(() => {})}
      onClose={onClose}
    >
      It is covered by your {blocks.length === 1 ? 'block' : 'blocks'} of{' '}
      <span className="text-ink">{blocks.map(({ email_domain, user_id }) => email_domain ?? user_id).join(', ')}</span>. Without{' '}
      {blocks.length === 1 ? 'it' : 'them'}, everybody whom {blocks.length === 1 ? 'it' : 'they'} kept away can write to you again.
    </Confirm>
  );
}

function NotBlockable({ party, onClose }: { party: Party; onClose(): void }) {
  return (
    <Dialog title={`Block ${addressOf(party)}`} onClose={onClose}>
      <p className="text-soft">
        {party.kind === 'mailbox' ? (
          'Nothing has come from this mailbox yet, so there is nobody to block.'
        ) : (
          <>
            This business has verified no domain, so it can’t be blocked as a whole. The people who write for it can be, on{' '}
            <Link to="/blocks" className="text-accent underline">
              your blocks
            </Link>
            .
          </>
        )}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
