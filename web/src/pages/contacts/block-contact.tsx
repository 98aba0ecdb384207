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

interface Target {
  handle: string | undefined;
  domains: readonly string[];
  userIds: readonly string[];
}

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
          Another block covers this contact. Remove it under{' '}
          <Link to="/blocks" className="text-accent underline">
            Blocks
          </Link>
          .
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

/** Closes the dialog first: after the reload it would ask the opposite. */
function useFinish(onClose: () => void) {
  const queries = useQueryClient();
  const lists = useContactLists();
  return (text: string) => {
    onClose();
    say(text);
    void lists.reload();
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
      run={async () => {
        await block.mutateAsync({ body });
        finish(`${addressOf(party)} blocked`);
      }}
      onClose={onClose}
    >
      <p>{text} Earlier messages stay, and you can still write to them.</p>
    </Confirm>
  );
}

function blockOf(party: Party, userId: string) {
  if (party.kind === 'mailbox') return { body: { user_id: userId }, text: 'Messages from this mailbox will be refused.' };
  if (party.kind === 'handle')
    return { body: { handle: party.handle }, text: 'Messages from agents, people and mailboxes of this business will be refused.' };
  return {
    body: { email_domain: party.domain },
    text: `Messages from people and mailboxes at ${party.domain}, and from businesses that verified it, will be refused.`,
  };
}

function Unblock({ name, blocks, onClose }: { name: string; blocks: readonly Block[]; onClose(): void }) {
  const remove = useAction('DELETE /v1/blocks/{id}');
  const finish = useFinish(onClose);
  const unblock = async () => {
    for (const { id } of blocks) await remove.mutateAsync({ path: { id } });
    finish(`${name} unblocked`);
  };
  return (
    <Confirm title={`Unblock ${name}?`} action="Unblock" run={unblock} onClose={onClose}>
      This removes your {blocks.length === 1 ? 'block' : 'blocks'} of{' '}
      <span className="text-ink">{blocks.map(({ handle, email_domain, user_id }) => handle ?? email_domain ?? user_id).join(', ')}</span>.
      Everyone covered by {blocks.length === 1 ? 'it' : 'them'} can write to you again.
    </Confirm>
  );
}

function NobodyToBlock({ party, onClose }: { party: Party; onClose(): void }) {
  return (
    <Dialog title={`Block ${addressOf(party)}`} onClose={onClose}>
      <p className="text-soft">You have no messages from this mailbox, so there is no sender to block yet.</p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
