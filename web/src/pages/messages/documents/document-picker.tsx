import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { DOCUMENT_TYPES, type DocumentType, layoutFor } from '../../../../../packages/documents/src/index.ts';
import { useActiveBusiness } from '../../../api/business.ts';
import { useReading } from '../../../api/queries.ts';
import { ownType } from '../../../documents/own-types.ts';
import { visible } from '../../../ui/name.tsx';
import { Picker } from '../../../ui/picker.tsx';
import { say } from '../../../ui/toast.tsx';
import { beginDocument, localDay, type Sides } from './begin-document.ts';
import { ChooseFile } from './drop-document.tsx';
import type { FormType } from './form-model.ts';
import { readDropped } from './read-dropped.ts';

type Head = Pick<DocumentType, 'type' | 'title' | 'description'>;

interface DocumentPickerProps {
  other: Sides['other'];
  onChoose(type: string, json: string): void;
  onClose(): void;
}

/** The types of documents to begin with. */
export function DocumentPicker({ other, onChoose, onClose }: DocumentPickerProps) {
  const [query, setQuery] = useState('');
  const handle = useActiveBusiness();
  const { data: account } = useReading('GET /v1/account', {});
  const own = account?.businesses.find((one) => one.handle === handle);
  // Who typed a handle has named nobody yet. The composer shows the same profile.
  const { data: profile } = useReading(
    'GET /v1/public/{handle}',
    { path: { handle: other?.handle ?? '' } },
    { enabled: other !== undefined && other.name === undefined },
  );
  const { data: ofBusiness } = useReading('GET /v1/business/document-types', {});
  const queries = useQueryClient();
  const wanted = query.trim().toLowerCase();
  const begin = (type: FormType & { type: string }) => {
    const json = beginDocument(type, {
      own: handle === undefined ? undefined : { handle, name: own?.display_name },
      other: other && { ...other, name: other.name ?? profile?.display_name },
      today: localDay(new Date()),
    });
    // First, because a dialog that closes gives the focus back to its button.
    flushSync(onClose);
    onChoose(type.type, json);
  };
  const beginOwn = async (type: string) => {
    const found = await queries.fetchQuery(ownType(type));
    if (found) begin({ ...found, layout: layoutFor(found.schema, found.layout) });
    else say('The document type could not be loaded.');
  };
  const [problem, setProblem] = useState('');
  const beginWith = async (file: File) => {
    const read = await readDropped(file);
    if ('problem' in read) return setProblem(read.problem);
    flushSync(onClose);
    onChoose(read.type, read.json);
  };
  const heads = ofBusiness?.data ?? [];
  const choices: (Head & { choose(): void })[] = [
    ...heads.map((head) => ({ ...head, choose: () => void beginOwn(head.type) })),
    // An own type stands before one of the catalogue with the same name.
    ...DOCUMENT_TYPES.filter(({ type }) => heads.every((head) => head.type !== type)).map((one) => ({ ...one, choose: () => begin(one) })),
  ];
  const options = choices
    .filter(({ type, title, description }) => `${type} ${title} ${description}`.toLowerCase().includes(wanted))
    .map(({ type, title, choose }) => ({ key: type, text: visible(title), hint: type, choose }));
  return (
    <Picker
      label="Add document"
      placeholder="Order, invoice, quote…"
      query={query}
      onQuery={setQuery}
      options={options}
      empty="No type of document by that name"
      onClose={onClose}
    >
      <div className="border-t border-line px-2 py-1.5">
        <ChooseFile onChoose={(file) => void beginWith(file)} />
        <p role="status" className="px-2 text-sm text-bad empty:hidden">
          {problem}
        </p>
      </div>
    </Picker>
  );
}
