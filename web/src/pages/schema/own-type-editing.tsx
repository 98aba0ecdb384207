import { useRef, useState } from 'react';
import { JsonText, textOf } from '../../api/client.ts';
import { DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS, DOCUMENT_TYPE_TITLE_MAX_CHARS, TYPE_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { OwnDocumentTypeHead } from '../../api/schema.ts';
import { formatted } from '../../json/formatted.ts';
import { Editor, type EditorHandle } from '../../parts/json-editor/editor.tsx';
import { ProblemList } from '../../parts/json-editor/problem-list.tsx';
import { type Problem, readJson } from '../../parts/json-editor/problems.ts';
import { Button } from '../../ui/button.tsx';
import { Switch, TextField, VERBATIM } from '../../ui/field.tsx';
import { useLastKnown } from '../../ui/last-known.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Name } from '../../ui/name.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { useChecking } from './checking.ts';
import { useDiscard } from './discard.tsx';
import { BLANK } from './examples.ts';
import { memberOf } from './inbox-schema.ts';
import { labelGroups } from './layout-labels.ts';

/** `schema` and `layout` are JSON text. */
export type EditedType = OwnDocumentTypeHead & { schema: string; layout: string };

interface Fields {
  type: string;
  title: string;
  description: string;
  published: boolean;
  schema: string;
  layout: string;
}

const NEW: Fields = { type: '', title: '', description: '', published: false, schema: BLANK, layout: '{}' };

function fieldsOf({ type, title, description, published, schema, layout }: EditedType): Fields {
  return { type, title, description, published, schema, layout: formatted(layout) };
}

/** Describes a document type: its names, its schema, and what a view shows where. */
export function OwnTypeEditing({ edited, onDone }: { edited: EditedType | undefined; onDone(): void }) {
  const [initial] = useState(() => (edited ? fieldsOf(edited) : NEW));
  const [fields, setFields] = useState(initial);
  const set = (changes: Partial<Fields>) => setFields((known) => ({ ...known, ...changes }));
  const schemaEditor = useRef<EditorHandle>(null);
  const layoutEditor = useRef<EditorHandle>(null);
  const checking = useChecking(fields.schema, '');
  const problems = useLastKnown(checking.schemaProblems) ?? [];
  const layoutProblem = readJson(fields.layout).problem;
  const action = useAction('PUT /v1/document-types/{type}', { changes: ['GET /v1/business/document-types'] });
  const isChanged = JSON.stringify(fields) !== JSON.stringify(initial);
  const { close, dialog } = useDiscard(isChanged && !action.isPending, onDone);
  const isComplete = fields.type.trim() !== '' && fields.title.trim() !== '' && problems.length === 0 && !layoutProblem;
  const save = async () => {
    await action.mutateAsync({ path: { type: fields.type.trim() }, body: new JsonText(bodyOf(fields)) });
    say('Document type saved');
    onDone();
  };
  const start = (found: Pick<Fields, 'title' | 'description' | 'schema' | 'layout'>) => {
    set(edited || fields.title !== '' ? { schema: found.schema, layout: found.layout } : found);
    schemaEditor.current?.replace(found.schema);
    layoutEditor.current?.replace(found.layout);
  };
  return (
    <>
      <PageHeader
        title={edited ? 'Edit document type' : 'New document type'}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              look="primary"
              isBusy={action.isPending}
              disabled={!isChanged || !isComplete}
              onClick={() => void save().catch(() => {})}
            >
              Save document type
            </Button>
          </>
        }
      >
        The title of each property in the schema is its label in views and forms.
      </PageHeader>
      {action.error ? <ErrorNote error={action.error} /> : null}
      {checking.error ? <ErrorNote error={checking.error} onRetry={checking.retry} /> : null}
      <Names fields={fields} isNew={!edited} onChange={set} />
      <div className="mt-8 grid grid-cols-1 items-start gap-x-6 gap-y-10 xl:grid-cols-2">
        <section aria-labelledby="schema-heading">
          <div className="mb-2 flex min-h-9 flex-wrap items-center justify-between gap-2">
            <h2 id="schema-heading" className="text-lg font-semibold">
              Schema
            </h2>
            <StartFrom onChosen={start} />
          </div>
          <Editor
            ref={schemaEditor}
            label="Schema"
            text={initial.schema}
            onChange={(schema) => set({ schema })}
            problems={checking.schemaProblems}
          />
          <ProblemList label="Schema problems" problems={problems} onGo={(problem) => schemaEditor.current?.goTo(problem)} />
        </section>
        <LayoutPart fields={fields} initial={initial.layout} editor={layoutEditor} problem={layoutProblem} onChange={set} />
      </div>
      {dialog}
    </>
  );
}

function bodyOf({ title, description, published, schema, layout }: Fields): string {
  const texts = JSON.stringify({ title: title.trim(), description: description.trim(), published });
  return `${texts.slice(0, -1)},"schema":${schema},"layout":${layout}}`;
}

function Names({ fields, isNew, onChange }: { fields: Fields; isNew: boolean; onChange(changes: Partial<Fields>): void }) {
  return (
    <div className="grid max-w-3xl gap-4 sm:grid-cols-2">
      <TextField
        label="Title"
        placeholder="Delivery slot"
        maxLength={DOCUMENT_TYPE_TITLE_MAX_CHARS}
        value={fields.title}
        onChange={({ target }) => onChange({ title: target.value })}
      />
      <TextField
        label="Type"
        placeholder="delivery.slot"
        hint={isNew ? 'As messages have it, exactly.' : undefined}
        disabled={!isNew}
        maxLength={TYPE_MAX_CHARS}
        {...VERBATIM}
        value={fields.type}
        onChange={({ target }) => onChange({ type: target.value })}
      />
      <div className="sm:col-span-2">
        <TextField
          label="Description"
          maxLength={DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS}
          value={fields.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </div>
      <Switch
        label="Publish"
        hint="Anyone can read the type, its schema and its layout."
        checked={fields.published}
        onChange={({ target }) => onChange({ published: target.checked })}
      />
    </div>
  );
}

interface LayoutPartProps {
  fields: Fields;
  initial: string;
  editor: React.RefObject<EditorHandle | null>;
  problem: Problem | undefined;
  onChange(changes: Partial<Fields>): void;
}

function LayoutPart({ fields, initial, editor, problem, onChange }: LayoutPartProps) {
  const groups = labelGroups(fields.schema, fields.layout);
  const problems = problem ? [problem] : [];
  return (
    <section aria-labelledby="layout-heading">
      <h2 id="layout-heading" className="mb-2 flex min-h-9 items-center text-lg font-semibold">
        Layout
      </h2>
      <Editor ref={editor} label="Layout" text={initial} isLow onChange={(layout) => onChange({ layout })} problems={problems} />
      <ProblemList label="Layout problems" problems={problems} onGo={(one) => editor.current?.goTo(one)} />
      <h3 className="mt-4 font-medium">Preview of the labels</h3>
      {groups.length === 0 ? (
        <p className="mt-1 text-sm text-soft">The schema has no properties yet.</p>
      ) : (
        <dl aria-label="Labels" className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {groups.map(({ name, labels }) => (
            <div key={name} className="contents">
              <dt className="text-soft">{name}</dt>
              <dd className="min-w-0 wrap-anywhere">
                <Name>{labels.join(', ')}</Name>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function StartFrom({ onChosen }: { onChosen(found: Pick<Fields, 'title' | 'description' | 'schema' | 'layout'>): void }) {
  const catalogue = useReading('GET /v1/document-types', {});
  const { error, run } = useTask();
  const choose = (type: string, title: string, description: string) =>
    run(async () => {
      const text = await textOf('GET /v1/document-types/{type}', { path: { type } });
      onChosen({ title, description, schema: formatted(memberOf(text, 'schema')), layout: formatted(memberOf(text, 'layout')) });
    });
  return (
    <>
      <Menu
        label="Start from"
        isLeftward
        className="flex h-9 items-center rounded-lg px-3.5 font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
      >
        {(catalogue.data?.data ?? []).map(({ type, title, description }) => (
          <MenuItem key={type} onSelect={() => void choose(type, title, description)}>
            <Name>{title}</Name>
          </MenuItem>
        ))}
      </Menu>
      {error ? <ErrorNote error={error} /> : null}
    </>
  );
}
