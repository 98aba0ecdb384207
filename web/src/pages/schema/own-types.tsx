import { Plus } from 'lucide-react';
import { useState } from 'react';
import { textOf } from '../../api/client.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { OwnDocumentTypeHead } from '../../api/schema.ts';
import { TypeBadge } from '../../parts/type-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { Badge, Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { memberOf } from './inbox-schema.ts';
import type { EditedType } from './own-type-editing.tsx';

const LIST = 'GET /v1/business/document-types';

/** Document types that the business describes itself, beside the catalogue. */
export function OwnTypes({ onEdit }: { onEdit(edited: EditedType | undefined): void }) {
  const list = useReading(LIST, {});
  const [deleted, setDeleted] = useState<OwnDocumentTypeHead>();
  const { error, run } = useTask();
  const edit = (head: OwnDocumentTypeHead) =>
    run(async () => {
      const text = await textOf('GET /v1/business/document-types/{type}', { path: { type: head.type } });
      onEdit({ ...head, schema: memberOf(text, 'schema'), layout: memberOf(text, 'layout') });
    });
  return (
    <Section
      title="Your document types"
      actions={
        <Button onClick={() => onEdit(undefined)} icon={<Plus className="size-4" aria-hidden />}>
          New document type
        </Button>
      }
    >
      <p className="mb-3 max-w-prose text-soft">
        They give the fields of your own documents their labels and order. The catalogue has types for orders, invoices and more.
      </p>
      {error ? <ErrorNote error={error} /> : null}
      <States of={list} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="rounded-xl border border-dashed border-line px-4 py-6 text-center text-soft">No document types of your own.</p>
          ) : (
            <Rows label="Your document types">
              {data.map((head) => (
                <Row key={head.type}>
                  <div className="min-w-0 flex-1 basis-48">
                    <p className="flex min-w-0 flex-wrap items-center gap-2">
                      <Name className="font-medium wrap-anywhere">{head.title}</Name>
                      <TypeBadge type={head.type} className="max-w-full" />
                      {head.published ? <Badge tone="good">Published</Badge> : null}
                    </p>
                    <p className="mt-1 text-sm wrap-anywhere text-soft">
                      {head.description === '' ? null : (
                        <>
                          <Name>{head.description}</Name> ·{' '}
                        </>
                      )}
                      updated <Time at={head.updated_at} />
                    </p>
                  </div>
                  <div className="flex flex-wrap">
                    <Button look="quiet" onClick={() => void edit(head)} aria-label={visible(`Edit ${head.title}`)}>
                      Edit
                    </Button>
                    <Button look="quiet" onClick={() => setDeleted(head)} aria-label={visible(`Delete ${head.title}`)}>
                      Delete
                    </Button>
                  </div>
                </Row>
              ))}
            </Rows>
          )
        }
      </States>
      {deleted ? <DeleteType head={deleted} onClose={() => setDeleted(undefined)} /> : null}
    </Section>
  );
}

function DeleteType({ head: { type, title }, onClose }: { head: OwnDocumentTypeHead; onClose(): void }) {
  const remove = useAction('DELETE /v1/document-types/{type}', { changes: [LIST] });
  return (
    <Confirm
      title={`Delete ${title}?`}
      action="Delete document type"
      run={() => remove.mutateAsync({ path: { type } })}
      done="Document type deleted"
      onClose={onClose}
    >
      <p>Documents of this type stay as they are, and are shown without its labels. Schemas that were taken from it stay.</p>
    </Confirm>
  );
}
