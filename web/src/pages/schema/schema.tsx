import { Braces } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, States } from '../../ui/states.tsx';
import { BLANK, EXAMPLES } from './examples.ts';
import { useInboxSchema } from './inbox-schema.ts';
import { type EditedType, OwnTypeEditing } from './own-type-editing.tsx';
import { OwnTypes } from './own-types.tsx';
import { SavedSchemaView } from './saved-schema.tsx';
import { SchemaEditing } from './schema-editing.tsx';
import { TypeSchemas } from './type-schemas.tsx';

/** What is edited: the schema of the inbox or of a type of messages, or a document type. */
type Edited =
  | { kind: 'schema'; text: string; saved: string | undefined; type?: string }
  | { kind: 'document type'; edited: EditedType | undefined };

export function SchemaPage() {
  const reading = useInboxSchema();
  const [edited, setEdited] = useState<Edited>();
  const done = () => setEdited(undefined);
  const editInbox = (text: string) => setEdited({ kind: 'schema', text, saved: reading.data?.text });
  if (edited?.kind === 'schema') return <SchemaEditing type={edited.type} text={edited.text} saved={edited.saved} onDone={done} />;
  if (edited?.kind === 'document type') return <OwnTypeEditing edited={edited.edited} onDone={done} />;
  return (
    <>
      {reading.data ? (
        <SavedSchemaView saved={reading.data} onEdit={editInbox} />
      ) : (
        <>
          <PageHeader title="Inbox schema">Describes the JSON that you expect. Each incoming message is checked against it.</PageHeader>
          <States of={reading}>{() => <NoSchema onEdit={editInbox} />}</States>
        </>
      )}
      {/* Once what stands above them is there, so that nothing moves. */}
      {reading.isPending ? null : (
        <>
          <TypeSchemas onEdit={(type, text, saved) => setEdited({ kind: 'schema', type, text, saved })} />
          <OwnTypes onEdit={(one) => setEdited({ kind: 'document type', edited: one })} />
        </>
      )}
    </>
  );
}

function NoSchema({ onEdit }: { onEdit(text: string): void }) {
  return (
    <Empty icon={<Braces className="size-6" aria-hidden />} title="No schema yet">
      <p>Add a JSON Schema to check the JSON of incoming messages. Messages that fail are marked with their errors, not refused.</p>
      <Button look="primary" className="mt-4" onClick={() => onEdit(BLANK)}>
        Create schema
      </Button>
      <p className="mt-8 mb-3 text-sm">Or start with an example:</p>
      <ul className="grid gap-2 text-left">
        {EXAMPLES.map(({ name, about, text }) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => onEdit(text)}
              className="w-full rounded-lg border border-line px-4 py-2.5 text-left transition-colors hover:bg-hover"
            >
              <span className="block font-medium text-ink">{name}</span>
              <span className="block text-sm">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </Empty>
  );
}
