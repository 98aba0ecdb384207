import { useNavigate } from '@tanstack/react-router';
import { ContactRound, Layers, Search, Zap } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useReading } from '../api/queries.ts';
import { BUILT_IN } from '../parts/threads/views.ts';
import { useOffered } from '../ui/commands.ts';
import { useDebouncedValue } from '../ui/debounce.ts';
import type { Option } from '../ui/options.tsx';
import { addressOf } from '../ui/parts.tsx';
import { Picker } from '../ui/picker.tsx';
import { PAGES } from './pages.ts';

const TYPING_MS = 150;
const CONTACTS_SHOWN = 5;

export function Palette({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const words = query.trim();
  const q = useDebouncedValue(words.replace(/^@/, '').slice(0, 64), TYPING_MS);
  const offered = useOffered();
  const { data: views } = useReading('GET /v1/views', {});
  const contacts = useReading('GET /v1/contacts', { query: { limit: CONTACTS_SHOWN, q } }, { enabled: q !== '' });

  const option = (group: string, text: string, icon: ReactNode, run: () => void, hint?: string): Option => ({
    key: `${group} ${text} ${hint ?? ''}`,
    group,
    text,
    hint,
    icon,
    choose: () => {
      onClose();
      run();
    },
  });
  const fits = ({ text }: Option) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.toLowerCase().includes(word));
  const small = 'size-4 shrink-0 text-soft';
  // Two messages of a thread may offer commands of one name.
  const actions = offered.flat().map(({ name, keys, run }, at) => ({
    ...option('Actions', name, <Zap className={small} aria-hidden />, run, keys),
    key: `Actions ${at}`,
  }));
  const toView = (view: string, name: string) =>
    option('Views', name, <Layers className={small} aria-hidden />, () => void navigate({ to: '/inbox', search: { view } }));
  const named = [
    ...Object.entries(BUILT_IN).map(([view, { name }]) => toView(view, name)),
    ...(views?.data ?? []).map(({ id, name }) => toView(id, name)),
  ];
  const pages = PAGES.map(([to, name, Icon]) => option('Pages', name, <Icon className={small} aria-hidden />, () => void navigate({ to })));
  const found = (q === '' ? [] : (contacts.data?.data ?? [])).map(({ party, label }) =>
    option(
      'Contacts',
      label || party.display_name,
      <ContactRound className={small} aria-hidden />,
      () => void navigate({ to: '/inbox', search: { view: 'all', with: addressOf(party).replace(/^@/, '') } }),
      addressOf(party),
    ),
  );
  const search = option(
    'Search',
    `Search for “${words}”`,
    <Search className={small} aria-hidden />,
    () => void navigate({ to: '/search', search: { q: words } }),
  );
  const options = [...[...actions, ...named, ...pages].filter(fits), ...found, ...(words === '' ? [] : [search])];
  return (
    <Picker
      label="Commands"
      placeholder="Do something, or go somewhere…"
      query={query}
      onQuery={setQuery}
      options={options}
      empty="No results"
      onClose={onClose}
    />
  );
}
