import { Braces } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, States } from '../../ui/states.tsx';
import { BLANK, EXAMPLES } from './examples.ts';
import { useInboxSchema } from './inbox-schema.ts';
import { SavedSchemaView } from './saved-schema.tsx';
import { SchemaEditing } from './schema-editing.tsx';

export function SchemaPage() {
  const reading = useInboxSchema();
  /** What somebody has begun to edit. */
  const [begun, setBegun] = useState<string>();
  if (begun !== undefined) return <SchemaEditing text={begun} saved={reading.data?.text} onDone={() => setBegun(undefined)} />;
  if (reading.data) return <SavedSchemaView saved={reading.data} onEdit={setBegun} />;
  return (
    <>
      <PageHeader title="Inbox schema">
        What the JSON of messages to you should look like. Each message then tells whether it fits.
      </PageHeader>
      <States of={reading}>{() => <NoSchema onBegin={setBegun} />}</States>
    </>
  );
}

function NoSchema({ onBegin }: { onBegin(text: string): void }) {
  return (
    <Empty icon={<Braces className="size-6" aria-hidden />} title="No schema yet">
      <p>
        Write a JSON Schema, and the JSON of every message that comes in is checked against it. No message is refused: it shows whether it
        passed, and what is wrong if not.
      </p>
      <Button look="primary" className="mt-4" onClick={() => onBegin(BLANK)}>
        Write a schema
      </Button>
      <p className="mt-8 mb-3 text-sm">Or begin with an example:</p>
      <ul className="grid gap-2 text-left">
        {EXAMPLES.map(({ name, about, text }) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => onBegin(text)}
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
