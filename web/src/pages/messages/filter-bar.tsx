import { useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { type Ref, useMemo, useRef, useState } from 'react';
import { keysOf } from '../../keys-of.ts';
import { Button } from '../../ui/button.tsx';
import { useDebouncedCall } from '../../ui/debounce.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { type Filters, isFiltered } from './filters.ts';
import type { Mailbox } from './message-list.ts';

const TYPING_MS = 300;
const VERDICTS = ['passed', 'failed', 'not_applicable'] as const;

/** The filters of the API, stored in the address of the page. */
export function FilterBar({ mailbox, filters }: { mailbox: Mailbox; filters: Filters }) {
  const navigate = useNavigate();
  const first = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(isFiltered(filters));
  const [typed, setTyped] = useState(filters);
  const [applied, setApplied] = useState(filters);
  const afterTyping = useDebouncedCall(TYPING_MS);
  // The address changed: by what was typed here, by a link, or by going back.
  if (applied !== filters) {
    setApplied(filters);
    setTyped(filters);
  }
  useShortcuts(
    useMemo(
      () => ({
        '/': () => {
          setOpen(true);
          requestAnimationFrame(() => first.current?.focus());
        },
      }),
      [],
    ),
  );

  const change = (changed: Filters) => {
    const next = { ...typed, ...changed };
    setTyped(next);
    const search = { ...next };
    for (const name of keysOf(search)) if (!search[name]) delete search[name];
    afterTyping(() => void navigate({ to: mailbox === 'inbox' ? '/inbox' : '/outbox', search, replace: true }));
  };
  return (
    <div className="mb-3">
      <div className="flex gap-2">
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-controls="filters"
          onClick={() => setOpen(!isOpen)}
          icon={<ListFilter className="size-4" aria-hidden />}
        >
          Filter
        </Button>
        {isFiltered(filters) ? (
          <Button
            look="quiet"
            onClick={() =>
              change({ from: undefined, to: undefined, type: undefined, validation: undefined, since: undefined, until: undefined })
            }
          >
            Clear filters
          </Button>
        ) : null}
      </div>
      {isOpen ? <FilterFields mailbox={mailbox} typed={typed} onChange={change} firstRef={first} /> : null}
    </div>
  );
}

interface FilterFieldsProps {
  mailbox: Mailbox;
  typed: Filters;
  onChange(changed: Filters): void;
  firstRef: Ref<HTMLInputElement>;
}

function FilterFields({ mailbox, typed, onChange, firstRef }: FilterFieldsProps) {
  const text = (name: 'from' | 'to' | 'type' | 'since' | 'until') => ({
    value: typed[name] ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  return (
    <search id="filters" className="mt-2 grid grid-cols-2 gap-3 rounded-xl bg-tint p-4 md:grid-cols-3">
      <TextField ref={firstRef} label={mailbox === 'inbox' ? 'From' : 'Sent by'} placeholder="Handle, domain or email" {...text('from')} />
      {mailbox === 'inbox' ? <TextField label="To segment" placeholder="orders" {...text('to')} /> : null}
      <TextField label="Type" placeholder="order" {...text('type')} />
      <Select
        label="Schema"
        value={typed.validation ?? ''}
        onChange={({ target }) => onChange({ validation: VERDICTS.find((verdict) => verdict === target.value) })}
      >
        <option value="">Any</option>
        <option value="passed">Passed</option>
        <option value="failed">Failed</option>
        <option value="not_applicable">Not applicable</option>
      </Select>
      <TextField label="Since" type="date" {...text('since')} />
      <TextField label="Until" type="date" {...text('until')} />
    </search>
  );
}
