import { useNavigate } from '@tanstack/react-router';
import { VIEW_NAME_MAX_CHARS } from '../../../api/limits.ts';
import { useAction } from '../../../api/queries.ts';
import type { View } from '../../../api/schema.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';
import { Choice } from '../../../ui/choice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { say } from '../../../ui/toast.tsx';
import { useForm } from '../../../ui/use-form.ts';

interface ViewDialogProps {
  view: View | undefined;
  filter: ThreadFilter;
  onClose(): void;
}

const FOR = [
  { value: 'me', label: 'Only me' },
  { value: 'all', label: 'Everybody in my business' },
] as const;

export function ViewDialog({ view, filter, onClose }: ViewDialogProps) {
  const navigate = useNavigate();
  const create = useAction('POST /v1/views', { changes: ['GET /v1/views'] });
  const change = useAction('PATCH /v1/views/{id}', { changes: ['GET /v1/views'] });
  const form = useForm({
    initial: { name: view?.name ?? '', seenBy: view?.shared ? 'all' : 'me' },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    submit: async ({ name, seenBy }) => {
      const shared = seenBy === 'all';
      if (view) await change.mutateAsync({ path: { id: view.id }, body: { name, shared } });
      else {
        const { id } = await create.mutateAsync({ body: { name, shared, filter } });
        await navigate({ to: '/inbox', search: { view: id } });
      }
      say('View saved');
      onClose();
    },
  });
  return (
    <FormDialog title={view ? 'Change view' : 'Save view'} action="Save" form={form} onClose={onClose}>
      <TextField label="Name" required maxLength={VIEW_NAME_MAX_CHARS} {...form.field('name')} />
      <Choice
        label="Who sees it"
        options={FOR}
        value={form.fields.seenBy === 'all' ? 'all' : 'me'}
        onChange={(seenBy) => form.set({ seenBy })}
      />
    </FormDialog>
  );
}
