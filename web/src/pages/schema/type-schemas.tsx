import { Plus } from 'lucide-react';
import { useState } from 'react';
import { TYPE_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { TypeSchemaHead } from '../../api/schema.ts';
import { TypeBadge } from '../../parts/type-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { Badge, bytes, Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { BLANK } from './examples.ts';
import { typeSchemaText } from './inbox-schema.ts';

const LIST = 'GET /v1/inbox/schemas';

interface TypeSchemasProps {
  onEdit(type: string, text: string, saved: string | undefined): void;
}

/** The schemas of single types of messages, which judge in place of the schema of the inbox. */
export function TypeSchemas({ onEdit }: TypeSchemasProps) {
  const list = useReading(LIST, {});
  const [deleted, setDeleted] = useState<string>();
  const [isNaming, setNaming] = useState(false);
  const { error, run } = useTask();
  const edit = (type: string) =>
    run(async () => {
      const text = await typeSchemaText(type);
      onEdit(type, text, text);
    });
  return (
    <Section
      title="Schemas by type"
      actions={
        <div className="flex flex-wrap gap-2">
          <FromCatalogue known={list.data?.data ?? []} />
          <Button onClick={() => setNaming(true)} icon={<Plus className="size-4" aria-hidden />}>
            Other type
          </Button>
        </div>
      }
    >
      <p className="mb-3 max-w-prose text-soft">
        Messages of these types are checked against schemas of their own, all others against the inbox schema.
      </p>
      {error ? <ErrorNote error={error} /> : null}
      <States of={list} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="rounded-xl border border-dashed border-line px-4 py-6 text-center text-soft">No schemas by type.</p>
          ) : (
            <Rows label="Schemas by type">
              {data.map((head) => (
                <SchemaRow key={head.type} head={head} onEdit={() => void edit(head.type)} onDelete={() => setDeleted(head.type)} />
              ))}
            </Rows>
          )
        }
      </States>
      {deleted !== undefined ? <DeleteSchema type={deleted} onClose={() => setDeleted(undefined)} /> : null}
      {isNaming ? <NameDialog onClose={() => setNaming(false)} onNamed={(type) => onEdit(type, BLANK, undefined)} /> : null}
    </Section>
  );
}

function SchemaRow({ head, onEdit, onDelete }: { head: TypeSchemaHead; onEdit(): void; onDelete(): void }) {
  const { type, updated_at, published } = head;
  const change = useAction('PATCH /v1/inbox/schemas/{type}', { changes: [LIST] });
  const publish = () => change.mutateAsync({ path: { type }, body: { published: !published } }).catch(() => {});
  return (
    <Row>
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex min-w-0 flex-wrap items-center gap-2">
          <TypeBadge type={type} className="max-w-full" />
          {published ? <Badge tone="good">Published</Badge> : null}
        </p>
        <p className="mt-1 text-sm text-soft">
          {bytes(head.bytes)} · updated <Time at={updated_at} />
        </p>
        {change.error ? <ErrorNote error={change.error} /> : null}
      </div>
      <div className="flex flex-wrap">
        <Button look="quiet" onClick={onEdit} aria-label={visible(`Edit schema of ${type}`)}>
          Edit
        </Button>
        <Button
          look="quiet"
          isBusy={change.isPending}
          onClick={() => void publish()}
          aria-label={visible(`${published ? 'Unpublish' : 'Publish'} schema of ${type}`)}
        >
          {published ? 'Unpublish' : 'Publish'}
        </Button>
        <Button look="quiet" onClick={onDelete} aria-label={visible(`Delete schema of ${type}`)}>
          Delete
        </Button>
      </div>
    </Row>
  );
}

/** Sets the schema of a document type for messages of its type, in one click. */
function FromCatalogue({ known }: { known: readonly TypeSchemaHead[] }) {
  const catalogue = useReading('GET /v1/document-types', {});
  const own = useReading('GET /v1/business/document-types', {});
  const set = useAction('PUT /v1/inbox/schemas/{type}', { changes: [LIST] });
  const ownTypes = own.data?.data ?? [];
  const types = [...ownTypes, ...(catalogue.data?.data ?? []).filter(({ type }) => !ownTypes.some((one) => one.type === type))];
  const offered = types.filter(({ type }) => !known.some((one) => one.type === type));
  const add = async (type: string, title: string) => {
    await set.mutateAsync({ path: { type }, body: { schema_of: type } });
    say(visible(`${title}: new messages are checked.`));
  };
  if (offered.length === 0) return null;
  return (
    <>
      <Menu
        label="Add document type"
        isLeftward
        className="flex h-9 items-center rounded-lg border border-edge px-3.5 font-medium transition-colors hover:bg-hover"
      >
        {offered.map(({ type, title }) => (
          <MenuItem key={type} onSelect={() => void add(type, title).catch(() => {})}>
            <Name>{title}</Name>
          </MenuItem>
        ))}
      </Menu>
      {set.error ? <ErrorNote error={set.error} /> : null}
    </>
  );
}

function DeleteSchema({ type, onClose }: { type: string; onClose(): void }) {
  const remove = useAction('DELETE /v1/inbox/schemas/{type}', { changes: [LIST] });
  return (
    <Confirm
      title={`Delete schema of ${type}?`}
      action="Delete schema"
      run={() => remove.mutateAsync({ path: { type } })}
      done="Schema deleted"
      onClose={onClose}
    >
      <p>New messages of this type are checked against the inbox schema, if there is one. Earlier messages keep their results.</p>
    </Confirm>
  );
}

function NameDialog({ onNamed, onClose }: { onNamed(type: string): void; onClose(): void }) {
  const form = useForm({
    initial: { type: '' },
    check: ({ type }) => (type.trim() === '' ? { type: 'Enter the type of the messages.' } : {}),
    submit: async ({ type }) => onNamed(type.trim()),
  });
  return (
    <FormDialog title="Schema of a type" action="Continue" form={form} onClose={onClose}>
      <TextField
        label="Type"
        placeholder="order"
        hint="As senders write it, exactly."
        maxLength={TYPE_MAX_CHARS}
        {...VERBATIM}
        {...form.field('type')}
      />
    </FormDialog>
  );
}
