import type { File } from '../../api/schema.ts';

export type PreviewKind = 'image' | 'text' | 'table' | 'pdf';

const MAX_BYTES: Record<PreviewKind, number> = { image: 8 * 1024 * 1024, text: 512 * 1024, table: 512 * 1024, pdf: 16 * 1024 * 1024 };

const IMAGES = /\.(png|jpe?g|gif|webp|avif)$/i;
const TEXTS = /\.(txt|md|log|json|xml|ya?ml|edi|ini|eml)$/i;
const TABLES = /\.(csv|tsv)$/i;

/** The kind by the sender's name and type. The bytes are checked once they are loaded. */
export function previewKindOf({ filename, content_type, size_bytes }: File): PreviewKind | undefined {
  const kind = kindOf(filename, content_type);
  return kind !== undefined && size_bytes > 0 && size_bytes <= MAX_BYTES[kind] ? kind : undefined;
}

function kindOf(filename: string, type: string): PreviewKind | undefined {
  if (TABLES.test(filename) || /^text\/(csv|tab-separated-values)\b/.test(type)) return 'table';
  if (IMAGES.test(filename) || /^image\/(png|jpeg|gif|webp|avif)\b/.test(type)) return 'image';
  if (/\.pdf$/i.test(filename) || /^application\/pdf\b/.test(type)) return 'pdf';
  return TEXTS.test(filename) || /^text\/plain\b|^application\/(json|xml)\b/.test(type) ? 'text' : undefined;
}

const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const SIGNATURES: [type: string, from: number, bytes: number[]][] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, ascii('GIF8')],
  ['image/webp', 8, ascii('WEBP')],
  ['image/avif', 4, ascii('ftypavi')],
];

/** The type of an image by its first bytes. SVG is not included: it is a document. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, from, signature]) => signature.every((byte, at) => bytes[from + at] === byte))?.[0];
}

const PDF = ascii('%PDF-');
/** Readers accept some bytes before the signature. */
const PDF_WITHIN = 1_024;

export function isPdf(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, PDF_WITHIN);
  return head.some((_, from) => PDF.every((byte, at) => head[from + at] === byte));
}

const ROWS_MAX = 200;
const COLUMNS_MAX = 30;

export function rowsOf(text: string): string[][] {
  const [firstLine = ''] = text.split('\n', 1);
  const separator = [',', ';', '\t'].reduce((best, one) => (firstLine.split(one).length > firstLine.split(best).length ? one : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    if (row.length < COLUMNS_MAX) row.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length && rows.length < ROWS_MAX; at++) {
    const character = text[at];
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[++at];
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === separator) endCell();
    else if (character === '\n') {
      endCell();
      rows.push(row);
      row = [];
    } else if (character !== '\r') cell += character;
  }
  if (rows.length < ROWS_MAX && (cell !== '' || row.length > 0)) {
    endCell();
    rows.push(row);
  }
  return rows;
}
