import { Pencil } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Member } from '../../api/schema.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/states.tsx';

/** The address of a member inside the business, changed in its place. */
export function SegmentField({ member, isEditable }: { member: Member; isEditable: boolean }) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <SegmentForm member={member} onClose={() => setEditing(false)} />;
  return (
    <div className="flex min-h-8 items-center gap-1 text-sm text-soft">
      {member.segment === null ? 'No address of their own' : <span className="text-ink">@{member.address}</span>}
      {isEditable ? (
        <IconButton label={`Change the segment of ${member.name}`} onClick={() => setEditing(true)}>
          <Pencil className="size-3.5" aria-hidden />
        </IconButton>
      ) : null}
    </div>
  );
}

function SegmentForm({ member, onClose }: { member: Member; onClose(): void }) {
  const [segment, setSegment] = useState(member.segment ?? '');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const change = useAction('PATCH /v1/members/{id}', { changes: ['GET /v1/members', 'GET /v1/me'] });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ path: { id: member.id }, body: { segment: segment.trim() || null } }, { onSuccess: onClose });
  };
  const wrong = change.error?.at('/segment');
  return (
    <form
      onSubmit={onSubmit}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
      className="mt-2 max-w-md"
    >
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-32 grow">
          <TextField
            ref={field}
            label={`Segment of ${member.name}`}
            isBare
            placeholder="such as sales"
            maxLength={31}
            autoCapitalize="none"
            spellCheck={false}
            value={segment}
            onChange={({ target }) => setSegment(target.value)}
            error={wrong && `It ${wrong}.`}
          />
        </div>
        <Button type="submit" isBusy={change.isPending}>
          Save
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {change.error && wrong === undefined ? <ErrorNote error={change.error} /> : null}
    </form>
  );
}
