import { FileInput } from 'lucide-react';
import { type DragEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Name } from '../../../ui/name.tsx';
import { isBlank, isTable, linesInto, rowsIn } from './dropped-text.ts';
import type { FormOf } from './form-of.ts';
import { DOCUMENT_FILES, isDocumentFile, readDropped } from './read-dropped.ts';

export interface DropTarget {
  onDocument(type: string, json: string): void;
  /** Files that are no documents. */
  onFiles(files: readonly File[]): void;
}

interface DropDocumentProps extends DropTarget {
  known: FormOf;
  text: string;
  children: ReactNode;
}

/** A file that could not be read, or whose document would replace what somebody wrote. */
interface Held {
  file: File;
  said: string;
  use?: () => void;
}

/** Fills a form from a file that is dropped on it or chosen: UBL, JSON, or lines as CSV. */
export function DropDocument({ known, text, onDocument, onFiles, children }: DropDocumentProps) {
  const [isOver, setOver] = useState(false);
  const [held, setHeld] = useState<Held>();
  const last = useRef<File>(undefined);
  /** Somebody can write while a file is read. */
  const latest = useRef(text);
  useLayoutEffect(() => {
    latest.current = text;
  }, [text]);
  const take = async (files: readonly File[]) => {
    const file = files.find(isDocumentFile);
    const others = files.filter((one) => one !== file);
    if (others.length > 0) onFiles(others);
    if (!file) return;
    last.current = file;
    setHeld(undefined);
    const { type, schema, layout } = known;
    const read = await readDropped(file, layout && { type, schema, layout });
    if (last.current !== file) return;
    if ('problem' in read) return setHeld({ file, said: read.problem });
    const isOfLines = isTable(file);
    const fill = () => {
      setHeld(undefined);
      onDocument(read.type, isOfLines ? linesInto(latest.current, read.json, known) : read.json);
    };
    if (isOfLines ? rowsIn(latest.current, known) === 0 : isBlank(latest.current)) fill();
    else
      setHeld({
        file,
        use: fill,
        said: isOfLines ? 'Replace the lines with those of the file?' : 'Replace all of this document with the file?',
      });
  };
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to do what the button does
    <div
      onDragOver={onDrag}
      onDragLeave={onDrag}
      onDrop={(event) => {
        onDrag(event);
        void take([...event.dataTransfer.files]);
      }}
      className={`flex flex-col gap-3 rounded-lg ${isOver ? 'outline-2 outline-offset-4 outline-accent' : ''}`}
    >
      <ChooseFile onChoose={(file) => void take([file])} />
      <div role="status" className="empty:hidden">
        {held ? (
          <HeldFile
            held={held}
            onAttach={() => {
              setHeld(undefined);
              onFiles([held.file]);
            }}
            onClose={() => setHeld(undefined)}
          />
        ) : null}
      </div>
      {children}
    </div>
  );
}

function HeldFile({ held: { file, said, use }, onAttach, onClose }: { held: Held; onAttach(): void; onClose(): void }) {
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg bg-tint px-3 py-2 text-sm">
      <p className="min-w-0 grow basis-60 wrap-anywhere">
        <Name className="font-medium">{file.name}</Name> <span className={use ? '' : 'text-bad'}>{said}</span>
      </p>
      {use ? <Button onClick={use}>Replace</Button> : null}
      <Button look="quiet" onClick={onAttach}>
        Attach instead
      </Button>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}

/** A button, because not everybody can drop files. */
export function ChooseFile({ onChoose }: { onChoose(file: File): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div>
      <Button look="quiet" className="h-8" onClick={() => input.current?.click()} icon={<FileInput className="size-4" aria-hidden />}>
        Fill from a file
      </Button>
      <span className="text-sm text-soft max-sm:hidden">UBL, CSV or JSON. You can drop it here, too.</span>
      <input
        ref={input}
        type="file"
        accept={DOCUMENT_FILES}
        hidden
        aria-label="File with the document"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onChoose(file);
          // Allows the same file to be chosen again.
          target.value = '';
        }}
      />
    </div>
  );
}
