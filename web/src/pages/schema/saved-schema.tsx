import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { CopyButton, PageHeader, Time } from '../../ui/parts.tsx';
import { say } from '../../ui/toast.tsx';
import { HighlightedJson } from './highlighted-json.tsx';
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
        The JSON of every message to you is checked against this schema, and the message tells how it went. No message is refused.
      </PageHeader>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-soft">
          Set <Time at={saved.updatedAt} isExact />
        </p>
        <CopyButton text={saved.text} label="Copy" />
      </div>
      <HighlightedJson text={saved.text} label="Schema" />
      {isRemoving ? <RemoveSchema onClose={() => setRemoving(false)} /> : null}
    </>
  );
}

function RemoveSchema({ onClose }: { onClose(): void }) {
  const { save, isPending, error } = useSaveSchema();
  return (
    <Confirm
      title="Remove the schema?"
      action="Remove schema"
      isBusy={isPending}
      error={error}
      onConfirm={() => save('null', () => say('The schema is removed.'))}
      onClose={onClose}
    >
      <p>
        Messages that come from now on are not checked. Those that came keep their verdicts. Copy the schema first if you may need it again.
      </p>
    </Confirm>
  );
}
