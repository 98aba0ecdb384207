import { Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '../../../ui/button.tsx';
import { FieldInput } from './field-input.tsx';
import type { Group } from './form-model.ts';
import type { DocumentEditor } from './use-document.ts';

interface GroupFieldsProps {
  group: Group;
  editor: DocumentEditor;
}

export function AddButton({ title, onAdd }: { title: string; onAdd(): void }) {
  return (
    <button
      type="button"
      onClick={onAdd}
      className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-lg border border-line px-2.5 text-sm font-medium hover:bg-hover"
    >
      <Plus className="size-4 shrink-0" aria-hidden />
      <span className="truncate">Add {title.toLowerCase()}</span>
    </button>
  );
}

/** A party, an address or another object. One that the document can do without is added and removed. */
export function GroupFields({ group, editor }: GroupFieldsProps) {
  const { path, title, isRequired, fields, groups } = group;
  const [isAdded, setAdded] = useState(false);
  const box = useRef<HTMLFieldSetElement>(null);
  const add = useRef<HTMLDivElement>(null);
  const isThere = editor.valueAt(path) !== undefined;
  if (!isRequired && !isThere && !isAdded)
    return (
      <div ref={add}>
        <AddButton
          title={title}
          onAdd={() => {
            flushSync(() => setAdded(true));
            box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
          }}
        />
      </div>
    );
  const remove = () => {
    flushSync(() => {
      setAdded(false);
      if (isThere) editor.edit([{ path, value: undefined }]);
    });
    add.current?.querySelector('button')?.focus();
  };
  const single = fields.length === 1 && groups.length === 0;
  return (
    <fieldset ref={box} className="min-w-0 rounded-xl border border-line p-3">
      <legend className="flex h-6 items-center gap-1 px-1 text-sm font-medium">
        {title}
        {isRequired ? ' *' : null}
        {isRequired ? null : (
          <IconButton label={`Remove ${title.toLowerCase()}`} onClick={remove} className="size-6!">
            <X className="size-3.5" aria-hidden />
          </IconButton>
        )}
      </legend>
      <div className={`grid gap-3 ${single ? '' : 'sm:grid-cols-2'}`}>
        {fields.map((field) => (
          <FieldInput key={field.path} field={field} editor={editor} />
        ))}
      </div>
      {groups.length > 0 ? (
        <div className="mt-3 flex flex-col gap-3">
          {groups.map((one) => (
            <GroupFields key={one.path} group={one} editor={editor} />
          ))}
        </div>
      ) : null}
    </fieldset>
  );
}
