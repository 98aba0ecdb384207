import { PLACE_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';

type Fields = { place: 'now' | 'beginning' | 'time'; position: string };

const PLACES = [
  { value: 'now', label: 'To now', hint: 'Skips what is waiting.' },
  { value: 'beginning', label: 'To the oldest message', hint: 'Workers get all messages once more.' },
  { value: 'time', label: 'To a time or position', hint: 'Workers get what came after it.' },
] as const;

export function MoveConsumer({ name, onClose }: { name: string; onClose(): void }) {
  const seek = useAction('POST /v1/consumers/{name}/seek', { changes: ['GET /v1/consumers', 'GET /v1/consumers/{name}'] });
  const form = useForm<Fields>({
    initial: { place: 'now', position: '' },
    check: ({ place, position }) => (place === 'time' && position.trim() === '' ? { position: 'Enter a time or a position.' } : {}),
    submit: async ({ place, position }) => {
      await seek.mutateAsync({ path: { name }, body: { position: place === 'time' ? position.trim() : place } });
      say('Consumer moved');
      onClose();
    },
  });
  return (
    <FormDialog title={`Move ${name}`} action="Move" form={form} onClose={onClose}>
      <p className="text-soft">What workers hold is forgotten. It comes again if it came after the new place.</p>
      <Choice label="Where" options={PLACES} value={form.fields.place} onChange={(place) => form.set({ place })} />
      {form.fields.place === 'time' ? (
        <TextField
          label="Time or position"
          placeholder="2026-01-31T12:00:00Z"
          maxLength={PLACE_MAX_CHARS}
          {...VERBATIM}
          {...form.field('position')}
        />
      ) : null}
    </FormDialog>
  );
}
