import { Download, Eye, EyeOff, FileIcon, FileText, ImageIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { call, WaybillError } from '../../api/client.ts';
import { retried } from '../../api/lazy.ts';
import type { File } from '../../api/schema.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { fileType } from '../../ui/file-type.ts';
import { bytes, count } from '../../ui/format.ts';
import { Name, visible } from '../../ui/name.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { previewKindOf } from './preview-kind.ts';

const FilePreview = lazy(retried(async () => ({ default: (await import('./file-preview.tsx')).FilePreview })));

/** Browsers drop a download that begins while another one is being requested. */
const BETWEEN_DOWNLOADS_MS = 700;

export function MessageFiles({ files }: { files: File[] }) {
  const { isBusy, error, run } = useTask();
  const downloadAll = async () => {
    for (const [at, { id }] of files.entries()) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS));
      await download(id);
    }
  };
  const size = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return (
    <div>
      {files.length > 1 ? (
        <div className="mb-2 flex items-center gap-3 text-sm text-soft">
          <span>
            {count(files.length, 'file')}, {bytes(size)}
          </span>
          <Button
            className="h-8 print:hidden"
            isBusy={isBusy}
            onClick={() => void run(downloadAll)}
            icon={<Download className="size-4" aria-hidden />}
          >
            Download all
          </Button>
        </div>
      ) : null}
      {error ? <ErrorNote error={error} onRetry={() => void run(downloadAll)} /> : null}
      <ul aria-label="Files" className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-paper">
        {files.map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </ul>
    </div>
  );
}

/** The URL in the message may have expired, so a new one is requested. It is an attachment: the browser stays on the page. */
async function download(id: string): Promise<void> {
  const { download_url } = await call('GET /v1/files/{id}', { path: { id } });
  const link = document.createElement('a');
  link.href = download_url;
  link.rel = 'noreferrer';
  link.click();
}

function FileRow({ file }: { file: File }) {
  const { id, filename, content_type, size_bytes, sha256 } = file;
  const [error, setError] = useState<WaybillError>();
  const [isLoading, setLoading] = useState(false);
  const [isShown, setShown] = useState(false);
  const kind = previewKindOf(file);
  const Icon = kind === 'image' ? ImageIcon : kind === undefined ? FileIcon : FileText;
  const start = async () => {
    setLoading(true);
    setError(undefined);
    try {
      await download(id);
    } catch (failure) {
      if (failure instanceof WaybillError) setError(failure);
    } finally {
      setLoading(false);
    }
  };
  return (
    <li className="px-3 py-2">
      <div className="flex items-center gap-3">
        <Icon className="size-4 shrink-0 text-soft" aria-hidden />
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <Name className="min-w-0 font-medium break-all">{filename === '' ? 'Unnamed file' : filename}</Name>
            <span className="text-sm text-soft" title={visible(`${content_type}, ${sha256 ?? 'the hash is being computed'}`)}>
              {fileType(filename, content_type)} · {bytes(size_bytes)}
            </span>
          </p>
        </div>
        <span className="flex shrink-0 gap-3 print:hidden">
          {kind === undefined ? null : (
            <IconButton label={`${isShown ? 'Hide' : 'Preview'} ${filename}`} aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? <EyeOff className="size-4" aria-hidden /> : <Eye className="size-4" aria-hidden />}
            </IconButton>
          )}
          <IconButton label={`Download ${filename}`} disabled={isLoading} onClick={() => void start()}>
            <Download className="size-4" aria-hidden />
          </IconButton>
        </span>
      </div>
      {isShown && kind !== undefined ? (
        <Suspense fallback={<Loading rows={2} />}>
          <FilePreview file={file} kind={kind} />
        </Suspense>
      ) : null}
      {error ? <ErrorNote error={error} onRetry={() => void start()} /> : null}
    </li>
  );
}
