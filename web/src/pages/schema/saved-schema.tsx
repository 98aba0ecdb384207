import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { HighlightedJson } from '../../parts/highlighted-json.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Switch } from '../../ui/field.tsx';
import { CopyButton, PageHeader, Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { type SavedSchema, useSaveSchema } from './inbox-schema.ts';

export function SavedSchemaView({ saved, onEdit }: { saved: SavedSchema; onEdit(text: string): void }) {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <PageHeader
        title="Inbox schema"
        actions={
          <>
            <Button look="primary" onClick={() => onEdit(saved.text)} icon={<Pencil className="size-4" aria-hidden />}>
              Edit
            </Button>
            <Button onClick={() => setRemoving(true)} icon={<Trash2 className="size-4" aria-hidden />}>
              Remove
            </Button>
          </>
        }
      >
        The JSON of each incoming message is checked against this schema. Messages that fail are marked, not refused.
      </PageHeader>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-soft">
          Updated <Time at={saved.updatedAt} isExact />
        </p>
        <CopyButton text={saved.text} label="Copy" />
      </div>
      <HighlightedJson text={saved.text} label="Schema" />
      <Publishing isPublished={saved.isPublished} />
      {isRemoving ? <RemoveSchema onClose={() => setRemoving(false)} /> : null}
    </>
  );
}

function Publishing({ isPublished }: { isPublished: boolean }) {
  const change = useAction('PATCH /v1/inbox/schema', { changes: ['GET /v1/inbox/schema'] });
  const isOn = change.isPending ? change.variables.body.published : isPublished;
  return (
    <div className="mt-6 max-w-xl space-y-3">
      <Switch
        label="Publish the schema"
        hint={
          isOn
            ? 'Anyone can read the schema, and senders see errors before they send.'
            : 'Only you see the schema. Senders see errors after they have sent a message.'
        }
        checked={isOn}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate({ body: { published: target.checked } })}
      />
      {change.error ? <ErrorNote error={change.error} /> : null}
    </div>
  );
}

function RemoveSchema({ onClose }: { onClose(): void }) {
  const { save } = useSaveSchema();
  return (
    <Confirm title="Remove schema?" action="Remove schema" run={() => save('null')} done="Schema removed" onClose={onClose}>
      <p>New messages are no longer checked. Earlier messages keep their results. Copy the schema first if you may need it again.</p>
    </Confirm>
  );
}
