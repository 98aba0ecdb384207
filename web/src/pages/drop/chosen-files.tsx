import { FileIcon, Paperclip, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { bytes } from '../../ui/parts.tsx';

export function ChosenFiles({ files, onChange }: { files: readonly File[]; onChange(files: readonly File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const add = (more: Iterable<File>) => onChange([...files, ...more]);
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  return (
    <section aria-label="Files" className="flex flex-col gap-2">
      {files.length > 0 ? (
        <ul aria-label="Chosen files" className="divide-y divide-line rounded-lg border border-line">
          {files.map((file, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
            <li key={at} className="flex items-center gap-3 px-3 py-1.5">
              <FileIcon className="size-4 shrink-0 text-soft" aria-hidden />
              <Name className="min-w-0 grow truncate font-medium">{file.name}</Name>
              <span className="shrink-0 text-sm text-soft">{bytes(file.size)}</span>
              <IconButton label={`Remove ${file.name}`} onClick={() => onChange(files.filter((one) => one !== file))}>
                <X className="size-4" aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to do what the button does */}
      <div
        onDragOver={onDrag}
        onDragLeave={onDrag}
        onDrop={(event) => {
          onDrag(event);
          add(event.dataTransfer.files);
        }}
        className={`flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-lg border border-dashed px-4 py-3 text-sm ${isOver ? 'border-accent bg-accent-tint' : 'border-edge'}`}
      >
        <Button onClick={() => input.current?.click()} icon={<Paperclip className="size-4" aria-hidden />}>
          Attach files
        </Button>
        <span className="text-soft">{files.length > 0 ? 'They are sent after you sign in.' : 'or drop them here. Up to 5 GB each.'}</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={({ target }) => {
            add(target.files ?? []);
            target.value = '';
          }}
        />
      </div>
    </section>
  );
}
