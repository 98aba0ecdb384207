import { DOCUMENT_FORMS, type DocumentForm } from '@waybill/client';
import type { Command } from '../command.ts';
import { visible } from '../output.ts';
import { UsageError } from '../problems.ts';
import { saveFile } from './proof-file.ts';

const isForm = (text: string): text is DocumentForm => DOCUMENT_FORMS.some((one) => one === text);

/** The form that is asked for, or that the name of the file ends with. */
function formOf(given: string | undefined, file: string | undefined): DocumentForm {
  const form = given ?? /\.([^./\\]+)$/.exec(file ?? '')?.[1]?.toLowerCase() ?? 'pdf';
  if (isForm(form)) return form;
  throw new UsageError(`Say the format with --format: ${DOCUMENT_FORMS.join(', ')}.`);
}

export const documents: Command[] = [
  {
    name: 'document',
    args: '<message>',
    help: 'Saves the document of a message (msg_…): as a PDF, its lines as CSV or as a spreadsheet, or an order, invoice or credit note in UBL (XML).',
    options: {
      output: { type: 'string', short: 'o', value: '<file>', help: 'Where to save it; its ending says the format; - prints it' },
      format: { type: 'string', value: '<format>', choices: DOCUMENT_FORMS, help: 'Without it, what the file ends with, or pdf' },
    },
    examples: ['waybill document msg_… -o order.pdf', 'waybill document msg_… --format csv -o - | head -1'],
    run: async ({ args: [id = ''], options, output, io, waybill, signal }) => {
      const given = options.text('output');
      const form = formOf(options.text('format'), given === '-' ? undefined : given);
      const bytes = await waybill().document(id, form, { signal });
      if (given === '-') return void io.stdout.write(bytes);
      const file = given ?? `${id}.${form}`;
      await saveFile(file, bytes);
      output.result({ file }, () => `Saved ${visible(file)}.`);
    },
  },
];
