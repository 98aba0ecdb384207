import { File as FileIcon } from 'lucide-react';
import type { ReceiptFile } from '../../api/schema.ts';
import { fileType } from '../../ui/file-type.ts';
import { bytes, count } from '../../ui/format.ts';
import { Name, visible } from '../../ui/name.tsx';
import { Mono } from './mono.tsx';

export function ReceiptFiles({ files }: { files: ReceiptFile[] }) {
  return (
    <ul aria-label="Delivered files" className="divide-y divide-line rounded-xl border border-line">
      {files.map(({ id, filename, content_type, size_bytes, sha256 }) => (
        <li key={id} className="flex gap-3 px-4 py-3 break-inside-avoid">
          <FileIcon className="mt-0.5 size-4 shrink-0 text-soft" aria-hidden />
          <div className="min-w-0">
            <p className="wrap-anywhere">
              <Name className="font-medium">{filename}</Name>{' '}
              <span className="text-sm text-soft" title={visible(content_type)}>
                {fileType(filename, content_type)}, {size_bytes < 1024 ? '' : `${bytes(size_bytes)}, `}
                {count(size_bytes, 'byte')}
              </span>
            </p>
            {sha256 === null ? <p className="text-sm text-soft">Computing hash. Reload in a few minutes.</p> : <Mono>{sha256}</Mono>}
          </div>
        </li>
      ))}
    </ul>
  );
}
