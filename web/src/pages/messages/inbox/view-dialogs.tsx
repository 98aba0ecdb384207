import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../../api/queries.ts';
import type { View } from '../../../api/schema.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { DigestDialog } from './digest-dialog.tsx';
import { ViewDialog } from './view-dialog.tsx';

export type Editing = 'new' | 'change' | 'delete' | 'digest';

interface ViewDialogsProps {
  editing: Editing;
  view: View | undefined;
  filter: ThreadFilter;
  onClose(): void;
}

export function ViewDialogs({ editing, view, filter, onClose }: ViewDialogsProps) {
  if (editing === 'new') return <ViewDialog view={undefined} filter={filter} onClose={onClose} />;
  if (view === undefined) return null;
  if (editing === 'change') return <ViewDialog view={view} filter={filter} onClose={onClose} />;
  return editing === 'delete' ? <DeleteView view={view} onClose={onClose} /> : <DigestDialog view={view} onClose={onClose} />;
}

function DeleteView({ view, onClose }: { view: View; onClose(): void }) {
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/views/{id}', { changes: ['GET /v1/views'] });
  const run = async () => {
    await navigate({ to: '/inbox', search: {} });
    await remove.mutateAsync({ path: { id: view.id } });
  };
  return (
    <Confirm title={`Delete view ${view.name}?`} action="Delete view" run={run} done="View deleted" onClose={onClose}>
      {view.shared ? 'It goes for everybody in your business. ' : ''}The threads stay as they are.
    </Confirm>
  );
}
