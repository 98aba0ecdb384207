import { Download, FileIcon } from 'lucide-react';
import { useState } from 'react';
import { ApiError, call } from '../../api/client.ts';
import type { File } from '../../api/schema.ts';
import { IconButton } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { bytes, CopyButton } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';

export function MessageFiles({ files }: { files: File[] }) {
  return (
    <ul aria-label="Files" className="divide-y divide-line rounded-xl border border-line">
      {files.map((file) => (
        <FileRow key={file.id} file={file} />
      ))}
    </ul>
  );
}

function FileRow({ file: { id, filename, content_type, size_bytes, sha256 } }: { file: File }) {
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(false);
  const download = async () => {
    setLoading(true);
    setError(undefined);
    try {
      // The URL in the message may have expired.
      const { download_url } = await call('GET /v1/files/{id}', { path: { id } });
      // An attachment: the browser downloads it and stays on the page.
      location.assign(download_url);
    } catch (failure) {
      if (failure instanceof ApiError) setError(failure);
    } finally {
      setLoading(false);
    }
  };
  return (
    <li className="px-3 py-2">
      <div className="flex items-center gap-3">
        <FileIcon className="size-4 shrink-0 text-soft" aria-hidden />
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <Name className="min-w-0 font-medium break-all">{filename === '' ? 'Unnamed file' : filename}</Name>
            <span className="text-sm text-soft">
              {bytes(size_bytes)} · <Name>{content_type}</Name>
            </span>
          </p>
          <p className="truncate text-xs text-soft">{sha256 === null ? 'Computing hash…' : <code className="font-mono">{sha256}</code>}</p>
        </div>
        {sha256 !== null ? <CopyButton text={sha256.replace(/^sha256:/, '')} label={`Copy SHA-256 of ${filename}`} isIcon /> : null}
        <IconButton label={`Download ${filename}`} disabled={isLoading} onClick={() => void download()}>
          <Download className="size-4" aria-hidden />
        </IconButton>
      </div>
      {error ? <ErrorNote error={error} onRetry={() => void download()} /> : null}
    </li>
  );
}
