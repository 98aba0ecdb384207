import { type KeyboardEvent, useRef, useState } from 'react';
import { formatted } from '../../json/formatted.ts';
import { Editor, type EditorHandle } from '../../parts/json-editor/editor.tsx';
import { ProblemList } from '../../parts/json-editor/problem-list.tsx';
import type { Problem } from '../../parts/json-editor/problems.ts';
import { Button } from '../../ui/button.tsx';
import { useLastKnown } from '../../ui/last-known.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useChecking } from './checking.ts';
import { useDiscard } from './discard.tsx';
import { EXAMPLES } from './examples.ts';
import { useSaveSchema } from './inbox-schema.ts';
import { TryIt } from './try-it.tsx';

interface SchemaEditingProps {
  /** The type of messages that the schema is for. Without, it is that of the inbox. */
  type?: string | undefined;
  text: string;
  saved: string | undefined;
  onDone(): void;
}

export function SchemaEditing({ type, text: initial, saved, onDone }: SchemaEditingProps) {
  const [text, setText] = useState(initial);
  const [sample, setSample] = useState('');
  const checking = useChecking(text, sample);
  const problems = useLastKnown(checking.schemaProblems) ?? [];
  const editor = useRef<EditorHandle>(null);
  const { save, isPending, error } = useSaveSchema(type);
  const isChanged = text.trim() !== (saved ?? initial).trim();
  const { close, dialog } = useDiscard(isChanged && !isPending, onDone);
  const canSave = (saved === undefined || isChanged) && problems.length === 0;

  const submit = async () => {
    if (!canSave || isPending) return;
    await save(text);
    say('Schema saved. New messages are checked against it.');
    onDone();
  };
  // The mutation has the error, which is shown below.
  const trySubmit = () => void submit().catch(() => {});
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    trySubmit();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+S does what the button does, from both editors
    <div onKeyDown={onKey}>
      <PageHeader
        title={type === undefined ? 'Inbox schema' : `Schema of ${type}`}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" isBusy={isPending} disabled={!canSave} onClick={trySubmit}>
              Save schema
            </Button>
          </>
        }
      >
        Problems are shown as you type. Nothing changes until you save.
      </PageHeader>
      {error ? <ErrorNote error={error} /> : null}
      {checking.error ? <ErrorNote error={checking.error} onRetry={checking.retry} /> : null}
      <div className="grid grid-cols-1 items-start gap-x-6 gap-y-10 xl:grid-cols-2">
        <section aria-labelledby="schema-heading">
          <div className="mb-2 flex min-h-9 flex-wrap items-center justify-between gap-2">
            <h2 id="schema-heading" className="text-lg font-semibold">
              Schema
            </h2>
            <div className="flex gap-1">
              <Menu
                label="Examples"
                className="flex h-9 items-center rounded-lg px-3.5 font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
              >
                {EXAMPLES.map(({ name, text }) => (
                  <MenuItem key={name} onSelect={() => editor.current?.replace(text)}>
                    {name}
                  </MenuItem>
                ))}
              </Menu>
              <Button look="quiet" onClick={() => editor.current?.replace(formatted(text))}>
                Format
              </Button>
            </div>
          </div>
          <Editor ref={editor} label="Schema" text={initial} onChange={setText} problems={checking.schemaProblems} />
          <p role="status" className="mt-2 flex min-h-6 items-center text-sm text-soft">
            {stateInWords(problems, isChanged || saved === undefined)}
          </p>
          <ProblemList label="Schema problems" problems={problems} onGo={(problem) => editor.current?.goTo(problem)} />
        </section>
        <TryIt schema={text} sample={sample} onSample={setSample} checking={checking} />
      </div>
      {dialog}
    </div>
  );
}

function stateInWords(problems: readonly Problem[], isChanged: boolean): string {
  if (problems.length === 0) return isChanged ? 'No problems. Ready to save.' : 'No problems.';
  return problems.length === 1 ? '1 problem. Fix it to save.' : `${problems.length} problems. Fix them to save.`;
}
