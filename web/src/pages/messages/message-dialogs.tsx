import { useAction } from '../../api/queries.ts';
import { Confirm, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { number } from '../../ui/format.ts';
import { CopyButton } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { type Message, useFullMessage } from './thread-messages.ts';

export interface Block {
  name: string;
  fields: { user_id: string } | { email_domain: string } | { handle: string };
}

export function BlockSender({ block, onClose }: { block: Block; onClose(): void }) {
  const add = useAction('POST /v1/blocks', { changes: ['GET /v1/blocks', 'GET /v1/contacts'] });
  return (
    <Confirm
      title={`Block ${block.name}?`}
      action="Block"
      run={() => add.mutateAsync({ body: block.fields })}
      done="Blocked"
      onClose={onClose}
    >
      Their messages will be refused, and they are told so. Earlier messages stay. You can undo this under Blocks.
    </Confirm>
  );
}

const SHOWN_CHARS = 20_000;

export function MessageSource({ message, onClose }: { message: Message; onClose(): void }) {
  const full = useFullMessage(message);
  return (
    <Dialog title="Message source" isWide onClose={onClose}>
      <States of={full}>{({ raw }) => <SourceText text={raw} />}</States>
    </Dialog>
  );
}

function SourceText({ text }: { text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus */}
      <pre tabIndex={0} className="max-h-[60vh] overflow-y-auto rounded-lg bg-tint p-3 font-mono text-xs break-all whitespace-pre-wrap">
        {text.slice(0, SHOWN_CHARS)}
        {text.length > SHOWN_CHARS ? '…' : ''}
      </pre>
      {text.length > SHOWN_CHARS ? (
        <p className="mt-2 text-sm text-soft">
          Showing {number(SHOWN_CHARS)} of {number(text.length)} characters. Copy to get the full source.
        </p>
      ) : null}
      <DialogActions>
        <CopyButton text={text} label="Copy" />
      </DialogActions>
    </>
  );
}
