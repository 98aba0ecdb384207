import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { call, pageError, type WaybillError } from '../../api/client.ts';
import { retried } from '../../api/lazy.ts';
import type { File } from '../../api/schema.ts';
import { Name, visible } from '../../ui/name.tsx';
import { Loading, States } from '../../ui/states.tsx';
import { imageTypeOf, isPdf, type PreviewKind, rowsOf } from './preview-kind.ts';

const PdfPreview = lazy(retried(async () => ({ default: (await import('./pdf-preview.tsx')).PdfPreview })));

/**
 * Shows a file without running or opening any of it. Texts are shown as text, tables as cells, images by the image decoder only (from a data: URL
 * with the type of their bytes), and PDFs in a frame without an origin. No document of a stranger is ever loaded, from any origin.
 */
export function FilePreview({ file, kind }: { file: File; kind: PreviewKind }) {
  const content = useQuery<Content, WaybillError>({
    queryKey: ['file', file.id, kind],
    queryFn: ({ signal }) => read(file, kind, signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Images may take megabytes.
    gcTime: 60_000,
    retry: false,
  });
  return (
    <div className="mt-2 overflow-hidden rounded-lg border border-line bg-tint">
      <States of={content} rows={2}>
        {(shown) => <Shown content={shown} name={file.filename} />}
      </States>
    </div>
  );
}

type Content =
  | { kind: 'image'; url: string }
  | { kind: 'text'; text: string }
  | { kind: 'table'; rows: string[][] }
  | { kind: 'pdf'; bytes: ArrayBuffer }
  | { kind: 'none' };

async function read({ id }: File, kind: PreviewKind, signal: AbortSignal): Promise<Content> {
  const { download_url } = await call('GET /v1/files/{id}', { path: { id } }, { signal });
  const bytes = await bytesAt(download_url, signal);
  if (kind === 'image') {
    const type = imageTypeOf(bytes);
    return type === undefined ? { kind: 'none' } : { kind, url: await dataUrl(bytes, type) };
  }
  if (kind === 'pdf') return isPdf(bytes) ? { kind, bytes: bytes.buffer } : { kind: 'none' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return kind === 'table' ? { kind, rows: rowsOf(text) } : { kind, text };
  } catch {
    return { kind: 'none' };
  }
}

async function bytesAt(url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url, { signal, credentials: 'omit' });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
  } catch {
    signal.throwIfAborted();
  }
  throw pageError('Couldn’t load the preview. Download the file instead.');
}

function dataUrl(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes], { type }));
  });
}

function Shown({ content, name }: { content: Content; name: string }) {
  if (content.kind === 'none') return <p className="px-3 py-2 text-sm text-soft">No preview: the file is not what its name says.</p>;
  if (content.kind === 'image') return <img src={content.url} alt={visible(name)} className="mx-auto max-h-96 max-w-full object-contain" />;
  if (content.kind === 'pdf')
    return (
      <Suspense fallback={<Loading rows={2} />}>
        <PdfPreview bytes={content.bytes} name={name} />
      </Suspense>
    );
  if (content.kind === 'text')
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus
      <pre tabIndex={0} dir="auto" className="max-h-96 overflow-auto p-3 font-mono text-xs break-words whitespace-pre-wrap">
        {content.text}
      </pre>
    );
  const [head = [], ...rows] = content.rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus
    <section tabIndex={0} aria-label={visible(`Table ${name}`)} className="max-h-96 overflow-auto px-3 py-1">
      <table className="border-collapse text-sm">
        <thead>
          <tr>{cellsOf(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other key
            <tr key={at} className="border-t border-line">
              {cellsOf(row, 'td')}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cellsOf(row: readonly string[], Tag: 'th' | 'td') {
  return row.map((cell, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other key
    <Tag key={at} className={`py-1 pr-6 text-left align-top whitespace-nowrap ${Tag === 'th' ? 'font-medium text-soft' : ''}`}>
      <Name>{cell}</Name>
    </Tag>
  ));
}
