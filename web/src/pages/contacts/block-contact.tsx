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
  handle: string | undefined;
  domains: readonly string[];
  /** Of whoever writes from a private mailbox, the newest first. */
  userIds: readonly string[];
}

/** Blocks a party as a whole, or takes away the blocks that cover it. */
export function BlockContact({ party, isBlocked, onClose }: { party: Party; isBlocked: boolean; onClose(): void }) {
  const { target, error } = useTarget(party);
  if (!target)
    return (
      <Dialog title={`Block ${addressOf(party)}`} onClose={onClose}>
        {error ? <ErrorNote error={error} /> : <Loading rows={1} />}
      </Dialog>
    );
  if (isBlocked) return <FindBlocks party={party} target={target} onClose={onClose} />;
  const [userId] = target.userIds;
  if (party.kind === 'mailbox' && userId === undefined) return <NobodyToBlock party={party} onClose={onClose} />;
  return <BlockNow party={party} userId={userId ?? ''} onClose={onClose} />;
}

function FindBlocks({ party, target, onClose }: { party: Party; target: Target; onClose(): void }) {
  const blocks = useList('GET /v1/blocks', { query: {} });
  const { items, hasMore, isFetchingMore, more } = blocks;
  const covering = items.filter((block) => covers(block, target));
  const isFound = covering.length > 0 || (!hasMore && !blocks.isPending);
  useEffect(() => {
    if (covering.length === 0 && hasMore && !isFetchingMore) more();
  }, [covering.length, hasMore, isFetchingMore, more]);
  const name = addressOf(party);
  if (covering.length > 0) return <Unblock name={name} blocks={covering} onClose={onClose} />;
  return (
    <Dialog title={`Unblock ${name}`} onClose={onClose}>
      {blocks.error ? <ErrorNote error={blocks.error} onRetry={blocks.retry} /> : null}
      {isFound ? (
        <p className="text-soft">
          One of{' '}
          <Link to="/blocks" className="text-accent underline">
            your blocks
          </Link>{' '}
          covers it. Remove it there.
        </p>
      ) : blocks.error ? null : (
        <Loading rows={1} />
      )}
    </Dialog>
  );
}

const LOOKED_AT = 30;

function useTarget(party: Party) {
  const profile = useReading(
    'GET /v1/public/{handle}',
    { path: { handle: party.kind === 'handle' ? party.handle : '' } },
    { enabled: party.kind === 'handle' },
  );
  const newest = useReading(
    'GET /v1/inbox',
    { query: { from: party.kind === 'mailbox' ? party.email : '', limit: LOOKED_AT } },
    { enabled: party.kind === 'mailbox' },
  );
  if (party.kind === 'domain') return { target: { handle: undefined, domains: [party.domain], userIds: [] }, error: null };
  if (party.kind === 'handle')
    return { target: profile.data && { handle: party.handle, domains: profile.data.verified_domains, userIds: [] }, error: profile.error };
  const domain = party.email.slice(party.email.lastIndexOf('@') + 1);
  const userIds = newest.data?.data.map(({ from }) => from.actor.id);
  return { target: userIds && { handle: undefined, domains: [domain], userIds }, error: newest.error };
}

function covers({ user_id, email_domain, handle }: Block, target: Target): boolean {
  if (handle !== null) return handle === target.handle;
  if (user_id !== null) return target.userIds.includes(user_id);
  return target.domains.some((domain) => domain === email_domain || domain.endsWith(`.${email_domain}`));
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

function BlockNow({ party, userId, onClose }: { party: Party; userId: string; onClose(): void }) {
  const block = useAction('POST /v1/blocks');
  const finish = useFinish(onClose);
  const { body, text } = blockOf(party, userId);
  return (
    <Confirm
      title={`Block ${addressOf(party)}?`}
      action="Block"
      isBusy={block.isPending}
      error={block.error}
      onConfirm={() => block.mutate({ body }, { onSuccess: () => finish(`${addressOf(party)} is blocked.`) })}
      onClose={onClose}
    >
      <p>{text} What has come stays, and you can still write to them.</p>
    </Confirm>
  );
}

function blockOf(party: Party, userId: string) {
  if (party.kind === 'mailbox') return { body: { user_id: userId }, text: 'What this mailbox sends is refused from now on.' };
  if (party.kind === 'handle')
    return { body: { handle: party.handle }, text: 'What agents, people and mailboxes of this business send is refused from now on.' };
  return {
    body: { email_domain: party.domain },
    text: `What people and mailboxes of ${party.domain} send is refused from now on, and so is what businesses send that have verified it.`,
  };
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
      <span className="text-ink">{blocks.map(({ handle, email_domain, user_id }) => handle ?? email_domain ?? user_id).join(', ')}</span>.
      Without {blocks.length === 1 ? 'it' : 'them'}, everybody whom {blocks.length === 1 ? 'it' : 'they'} kept away can write to you again.
    </Confirm>
  );
}

function NobodyToBlock({ party, onClose }: { party: Party; onClose(): void }) {
  return (
    <Dialog title={`Block ${addressOf(party)}`} onClose={onClose}>
      <p className="text-soft">Nothing has come from this mailbox yet, so there is nobody to block.</p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
