import { Pencil } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { SEGMENT_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Member } from '../../api/schema.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useForm } from '../../ui/use-form.ts';

export function SegmentField({ member, isEditable }: { member: Member; isEditable: boolean }) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <SegmentForm member={member} onClose={() => setEditing(false)} />;
  return (
    <div className="flex min-h-8 items-center gap-1 text-sm text-soft">
      {member.segment === null ? 'No segment' : <span className="text-ink">@{member.address}</span>}
      {isEditable ? (
        <IconButton label={`Edit segment of ${member.name}`} onClick={() => setEditing(true)}>
          <Pencil className="size-3.5" aria-hidden />
        </IconButton>
      ) : null}
    </div>
  );
}

function SegmentForm({ member, onClose }: { member: Member; onClose(): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const change = useAction('PATCH /v1/members/{id}', { changes: ['GET /v1/members', 'GET /v1/me'] });
  const form = useForm({
    initial: { segment: member.segment ?? '' },
    submit: async ({ segment }) => {
      await change.mutateAsync({ path: { id: member.id }, body: { segment: segment.trim() || null } });
      onClose();
    },
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape does what the Cancel button does
    <div
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <Form form={form} className="mt-2 max-w-md">
        <div className="flex flex-wrap items-start gap-2">
          <div className="min-w-32 grow">
            <TextField
              ref={input}
              label={`Segment of ${member.name}`}
              isBare
              placeholder="sales"
              maxLength={SEGMENT_MAX_CHARS}
              {...VERBATIM}
              {...form.field('segment')}
            />
          </div>
          <Button type="submit" isBusy={form.isBusy}>
            Save
          </Button>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </Form>
    </div>
  );
}
