import { type KeyboardEvent, type Ref, useId, useState } from 'react';
import { useReading } from '../../api/queries.ts';
import type { Contact } from '../../api/schema.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';

interface Suggestion {
  handle: string;
  name: string;
  known: string;
}

const SUGGESTIONS_MAX = 6;
const CONTACTS_READ = 20;
const TYPING_MS = 150;

interface RecipientFieldProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
  inputRef: Ref<HTMLInputElement>;
}

export function RecipientField({ value, onChange, error, inputRef }: RecipientFieldProps) {
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(value, isOpen);
  const isShown = isOpen && suggestions.length > 0;

  const choose = ({ handle }: Suggestion) => {
    onChange(handle);
    setOpen(false);
    setActive(-1);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isShown) {
      setOpen(false);
      setActive(-1);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      // There is one position more than suggestions, for the typed text.
      const places = suggestions.length + 1;
      setActive(((active + 1 + step + places) % places) - 1);
    } else if (event.key === 'Enter' && isShown && suggestions[active] && !event.ctrlKey && !event.metaKey) choose(suggestions[active]);
    else return;
    event.preventDefault();
  };

  return (
    <div className="relative">
      <TextField
        ref={inputRef}
        label="To"
        placeholder="Business name or handle"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        {...VERBATIM}
        required
        value={value}
        error={error}
        onChange={({ target }) => {
          onChange(target.value);
          setOpen(true);
          setActive(-1);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      {isShown ? (
        <div
          id={listId}
          role="listbox"
          aria-label="Suggestions"
          className="absolute inset-x-0 top-full z-30 mt-1 rounded-xl border border-line bg-paper p-1 shadow-xl"
        >
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={suggestion.handle}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              // Keeps the focus in the field, so that the list stays open until the click.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(suggestion)}
              className="flex cursor-pointer items-baseline gap-2 rounded-lg px-2.5 py-1.5 hover:bg-hover aria-selected:bg-hover"
            >
              <Name className="truncate font-medium">{suggestion.name}</Name>
              <span className="shrink-0 text-sm text-soft">@{suggestion.handle}</span>
              <span className="ml-auto shrink-0 pl-3 text-sm text-soft">{suggestion.known}</span>
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function knownOf(activity: Contact['activity']): string {
  const messages = messagesOf(activity);
  return messages === 0 ? 'Saved contact' : count(messages, 'message');
}

const messagesOf = ({ messages_in, messages_out }: Contact['activity']): number => messages_in + messages_out;

const byMessages = (a: Contact, b: Contact): number => messagesOf(b.activity) - messagesOf(a.activity);

/** Contacts come first. While a segment is typed there are no suggestions, because segments are not listed. */
function useSuggestions(typed: string, isWanted: boolean): Suggestion[] {
  const words = useDebouncedValue(typed.trim().replace(/^@/, ''), TYPING_MS);
  const isHandle = !words.includes('/');
  const q = words.slice(0, 64);
  const contacts = useReading(
    'GET /v1/contacts',
    { query: { limit: CONTACTS_READ, sort: 'activity', ...(q !== '' && { q }) } },
    { enabled: isWanted && isHandle },
  );
  const handles = useReading('GET /v1/handles', { query: { limit: SUGGESTIONS_MAX, q } }, { enabled: isWanted && isHandle && q !== '' });
  if (!isHandle) return [];
  const found = new Map<string, Omit<Suggestion, 'handle'>>();
  for (const { party, label, activity } of (contacts.data?.data ?? []).toSorted(byMessages))
    if (party.kind === 'handle') found.set(party.handle, { name: label || party.display_name, known: knownOf(activity) });
  for (const { handle, display_name } of q === '' ? [] : (handles.data?.data ?? []))
    if (!found.has(handle)) found.set(handle, { name: display_name, known: 'First contact' });
  const suggestions = [...found].map(([handle, rest]) => ({ handle, ...rest })).slice(0, SUGGESTIONS_MAX);
  return suggestions.length === 1 && suggestions[0]?.handle === typed ? [] : suggestions;
}
