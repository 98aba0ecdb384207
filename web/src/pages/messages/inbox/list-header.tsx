import { BookmarkPlus, Download, EllipsisVertical, Mail, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { retried } from '../../../api/lazy.ts';
import { useReading } from '../../../api/queries.ts';
import { useRole } from '../../../api/role.ts';
import type { View } from '../../../api/schema.ts';
import { BUILT_IN, countText, isBuiltIn, isNarrowed, type ListSearch, type ThreadFilter } from '../../../parts/threads/views.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../../ui/menu.tsx';
import { Title } from '../../../ui/name.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import type { Editing } from './view-dialogs.tsx';

const ViewDialogs = lazy(retried(async () => ({ default: (await import('./view-dialogs.tsx')).ViewDialogs })));

const loadExport = retried(() => import('./export-threads.ts'));
const exportAs = async (filter: ThreadFilter, format: 'ndjson' | 'csv') => (await loadExport()).exportThreads(filter, format);

interface ListHeaderProps {
  search: ListSearch;
  filter: ThreadFilter | undefined;
  isBeside: boolean;
}

export function ListHeader({ search, filter, isBeside }: ListHeaderProps) {
  const view = search.view ?? 'open';
  const { data: counts } = useReading('GET /v1/threads/counts', {});
  const { data: views } = useReading('GET /v1/views', {});
  const saved = views?.data.find(({ id }) => id === view);
  const name = isBuiltIn(view) ? BUILT_IN[view].name : (saved?.name ?? 'View');
  const count = isBuiltIn(view) ? counts?.[BUILT_IN[view].count] : saved?.threads;
  const [editing, setEditing] = useState<Editing>();
  const close = () => setEditing(undefined);
  const Heading = isBeside ? 'h2' : 'h1';
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 px-4">
      {isBeside ? null : <PageTitle name={name} />}
      <Heading className="flex min-w-0 grow items-baseline gap-2 text-lg font-semibold tracking-tight">
        <span className="font-normal text-soft">Inbox</span>
        <span className="truncate">
          <Title>{name}</Title>
        </span>
        {count === undefined || isNarrowed(search) ? null : <span className="text-sm font-normal text-soft">{countText(count)}</span>}
      </Heading>
      {isNarrowed(search) && filter ? (
        <Button look="quiet" onClick={() => setEditing('new')} icon={<BookmarkPlus className="size-4" aria-hidden />}>
          Save view
        </Button>
      ) : null}
      <ListMenu filter={filter} saved={saved} onEdit={setEditing} />
      {editing !== undefined && filter ? (
        <Suspense fallback={null}>
          <ViewDialogs editing={editing} view={saved} filter={filter} onClose={close} />
        </Suspense>
      ) : null}
    </header>
  );
}

function PageTitle({ name }: { name: string }) {
  usePageTitle(name);
  return null;
}

interface ListMenuProps {
  filter: ThreadFilter | undefined;
  saved: View | undefined;
  onEdit(what: Editing): void;
}

function ListMenu({ filter, saved, onEdit }: ListMenuProps) {
  const { isAdmin } = useRole();
  if (!filter) return null;
  return (
    <Menu
      name="List actions"
      isLeftward
      className="grid size-8 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
      label={<EllipsisVertical className="size-4" aria-hidden />}
    >
      <MenuItem onSelect={() => onEdit('new')}>
        <BookmarkPlus className="size-4" aria-hidden />
        Save as view
      </MenuItem>
      {saved ? (
        <MenuItem onSelect={() => onEdit('digest')}>
          <Mail className="size-4" aria-hidden />
          Mails about this view
        </MenuItem>
      ) : null}
      {saved && (saved.mine || isAdmin) ? (
        <>
          <MenuItem onSelect={() => onEdit('change')}>
            <Pencil className="size-4" aria-hidden />
            Rename or share view
          </MenuItem>
          <MenuItem isDangerous onSelect={() => onEdit('delete')}>
            <Trash2 className="size-4" aria-hidden />
            Delete view
          </MenuItem>
        </>
      ) : null}
      <MenuLine />
      <MenuLabel>Export this list</MenuLabel>
      <MenuItem onSelect={() => void exportAs(filter, 'ndjson')}>
        <Download className="size-4" aria-hidden />
        NDJSON
      </MenuItem>
      <MenuItem onSelect={() => void exportAs(filter, 'csv')}>
        <Download className="size-4" aria-hidden />
        CSV
      </MenuItem>
    </Menu>
  );
}
