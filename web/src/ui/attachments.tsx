import { CircleAlert, CircleCheck, Paperclip, Pause, Play, RotateCw, Upload as UploadIcon, X } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import type { Progress, Upload } from '../api/upload.ts';
import { type Uploads, useProgress } from '../api/uploads.ts';
import { Button, IconButton } from './button.tsx';
import { Name, visible } from './name.tsx';
import { bytes } from './parts.tsx';

interface AttachmentsProps {
  uploads: Uploads;
  error?: string | undefined;
  /** Called when a control is used, before a file chooser opens. A form takes the focus back, so that keys are text and press no button again. */
  onUsed?(): void;
  /** A button and chips, in place of a zone and rows. */
  isCompact?: boolean;
  children?: ReactNode;
}

export function Attachments({ uploads, error, onUsed, isCompact = false, children }: AttachmentsProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const add = (files: Iterable<File>) => {
    uploads.add(files);
    onUsed?.();
  };
  const use = (control: () => void) => () => {
    control();
    onUsed?.();
  };
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  return (
    <section aria-label="Files" className="flex flex-col gap-2">
      {uploads.list.length > 0 ? (
        <ul
          aria-label="Chosen files"
          className={
            isCompact
              ? 'flex flex-wrap gap-2 [&>li]:w-72 [&>li]:rounded-lg [&>li]:bg-tint'
              : 'divide-y divide-line rounded-lg border border-line'
          }
        >
          {uploads.list.map((upload) => (
            <UploadRow
              key={upload.key}
              upload={upload}
              onPause={use(() => upload.pause())}
              onResume={use(() => upload.resume())}
              onRemove={use(() => uploads.remove(upload))}
            />
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
        className={`flex flex-wrap items-center gap-y-2 rounded-lg text-sm transition-colors ${isCompact ? 'gap-x-1' : 'justify-center gap-x-3 border border-dashed px-4 py-3'} ${isOver ? 'border-accent bg-accent-tint' : 'border-edge'}`}
      >
        <Button
          look={isCompact ? 'quiet' : 'secondary'}
          className={isCompact ? '-ml-3' : ''}
          onClick={() => {
            // First, because a chooser that is cancelled tells nobody in some browsers.
            onUsed?.();
            input.current?.click();
          }}
          icon={<Paperclip className="size-4" aria-hidden />}
        >
          <span className={isCompact ? 'max-sm:sr-only' : ''}>Attach files</span>
        </Button>
        {isCompact ? children : <span className="text-soft">or drop them here. Up to 5 GB each.</span>}
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={({ target }) => {
            add(target.files ?? []);
            // Allows the same file to be chosen again.
            target.value = '';
          }}
        />
      </div>
      <p aria-live="polite" className="text-sm text-bad empty:hidden">
        {error}
      </p>
    </section>
  );
}

interface UploadRowProps {
  upload: Upload;
  onPause(): void;
  onResume(): void;
  onRemove(): void;
}

function UploadRow({ upload, onPause, onResume, onRemove }: UploadRowProps) {
  const progress = useProgress(upload);
  const { status, sentBytes, error } = progress;
  const { name, size } = upload.file;
  const percent = size === 0 ? 100 : Math.floor((sentBytes / size) * 100);
  return (
    <li className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 px-3 py-2">
      <Icon status={status} />
      <p className="flex min-w-0 items-baseline gap-2">
        <Name className="min-w-0 truncate font-medium">{name}</Name>
        <span className="shrink-0 text-sm text-soft">{bytes(size)}</span>
      </p>
      <div className="row-span-2 flex">
        {status === 'sending' || status === 'waiting' || status === 'reconnecting' ? (
          <IconButton label={`Pause ${name}`} onClick={onPause}>
            <Pause className="size-4" aria-hidden />
          </IconButton>
        ) : status === 'paused' ? (
          <IconButton label={`Resume ${name}`} onClick={onResume}>
            <Play className="size-4" aria-hidden />
          </IconButton>
        ) : status === 'failed' ? (
          <IconButton label={`Retry ${name}`} onClick={onResume}>
            <RotateCw className="size-4" aria-hidden />
          </IconButton>
        ) : null}
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </div>
      <div className="col-start-2 flex min-w-0 flex-col gap-1">
        {status !== 'done' && status !== 'failed' ? (
          <div
            role="progressbar"
            aria-label={visible(`Upload of ${name}`)}
            aria-valuenow={percent}
            aria-valuetext={statusText(progress, percent)}
            className="h-1 overflow-hidden rounded-full bg-hover"
          >
            <div className={`h-full ${status === 'sending' ? 'bg-accent' : 'bg-edge'}`} style={{ width: `${percent}%` }} />
          </div>
        ) : null}
        <p className={`text-sm tabular-nums ${status === 'failed' ? 'text-bad' : 'text-soft'}`}>
          {error ? error.message : statusText(progress, percent)}
          {error?.requestId !== undefined ? <code className="ml-2 text-xs text-soft select-all">{error.requestId}</code> : null}
        </p>
      </div>
    </li>
  );
}

function Icon({ status }: { status: Progress['status'] }) {
  if (status === 'done') return <CircleCheck className="size-4 text-good" aria-hidden />;
  if (status === 'failed') return <CircleAlert className="size-4 text-bad" aria-hidden />;
  return <UploadIcon className="size-4 text-soft" aria-hidden />;
}

function statusText({ status, bytesPerSecond, secondsLeft }: Progress, percent: number): string {
  switch (status) {
    case 'done':
      return 'Uploaded';
    case 'failed':
      return 'Upload failed';
    case 'waiting':
      return 'Waiting';
    case 'paused':
      return `Paused at ${percent}%`;
    case 'reconnecting':
      return 'Couldn’t connect. Retrying…';
    case 'sending': {
      const speed = bytesPerSecond === undefined ? '' : ` · ${bytes(bytesPerSecond)}/s`;
      const left = secondsLeft === undefined ? '' : ` · ${duration(secondsLeft)} left`;
      return `${percent}%${speed}${left}`;
    }
  }
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
