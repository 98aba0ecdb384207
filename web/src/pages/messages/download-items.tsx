import { FileCode, FileSpreadsheet, FileText, Table } from 'lucide-react';
import { blobOf } from '../../api/client.ts';
import { UBL_NAMES } from '../../documents/ubl-names.ts';
import { MenuItem } from '../../ui/menu.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { say } from '../../ui/toast.tsx';
import type { Message } from './thread-messages.ts';

const FORMS = [
  { form: 'pdf', label: 'Download PDF', Icon: FileText },
  { form: 'csv', label: 'Lines as CSV', Icon: Table },
  { form: 'xlsx', label: 'Lines as Excel', Icon: FileSpreadsheet },
  { form: 'xml', label: 'UBL (XML)', Icon: FileCode },
] as const;

/** The document of a message as a file. */
export function DownloadItems({ message: { id, type } }: { message: Message }) {
  const forms = FORMS.filter(({ form }) => form !== 'xml' || UBL_NAMES.includes(type ?? ''));
  return (
    <>
      {forms.map(({ form, label, Icon }) => (
        <MenuItem key={form} onSelect={() => void download(id, form)}>
          <Icon className="size-4" aria-hidden />
          {label}
        </MenuItem>
      ))}
    </>
  );
}

async function download(id: string, form: (typeof FORMS)[number]['form']): Promise<void> {
  try {
    saveFile(await blobOf(`GET /v1/messages/{id}/document.${form}`, { path: { id } }), `${id}.${form}`);
  } catch (failure) {
    say(failure instanceof Error ? failure.message : 'Couldn’t download the document.');
  }
}
