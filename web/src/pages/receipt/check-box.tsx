import { FileSearch } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { AnyReceipt } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Section } from '../../ui/parts.tsx';
import { Result } from './result.tsx';
import { useCheck } from './use-check.ts';

/** So that not every letter is looked at by itself. */
const PAUSE_MS = 250;

/** Anybody can see whether what they have is what was delivered. Nothing of it leaves the browser. */
export function CheckBox({ receipt }: { receipt: AnyReceipt }) {
  const hasJson = receipt.json_sha256 !== null;
  const hasFiles = receipt.files.length > 0;
  if (!hasJson && !hasFiles) return null;
  return (
    <Section title="Check it yourself">
      <p className="mb-4 text-soft">
        {hasJson && hasFiles
          ? 'Do you have the JSON or a file? See whether it is what was delivered.'
          : hasJson
            ? 'Do you have the JSON? See whether it is what was delivered.'
            : 'Do you have a file? See whether it is one that was delivered.'}{' '}
        It is compared in your browser and sent nowhere.
      </p>
      <Box receipt={receipt} hasJson={hasJson} />
    </Section>
  );
}

function Box({ receipt, hasJson }: { receipt: AnyReceipt; hasJson: boolean }) {
  const { state, file, text, stop } = useCheck(receipt);
  const [written, setWritten] = useState('');
  useEffect(() => {
    if (written.trim() === '') return;
    const timer = setTimeout(() => text(written), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [written, text]);
  const onText = (next: string) => {
    setWritten(next);
    if (next.trim() === '') stop();
  };
  const onFile = (chosen: File | undefined) => {
    if (!chosen) return;
    setWritten('');
    file(chosen);
  };
  return (
    <div className="flex flex-col gap-4">
      <Chooser onFile={onFile} />
      {hasJson ? (
        <TextArea
          label="Or paste the JSON"
          hint="Spaces and the order of keys make no difference."
          rows={5}
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-sm"
          value={written}
          onChange={({ target }) => onText(target.value)}
        />
      ) : null}
      <Result receipt={receipt} state={state} onStop={stop} />
    </div>
  );
}

function Chooser({ onFile }: { onFile(file: File | undefined): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
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
        onFile(event.dataTransfer.files[0]);
      }}
      className={`flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-xl border border-dashed px-4 py-8 text-soft transition-colors ${isOver ? 'border-accent bg-accent-tint' : 'border-edge'}`}
    >
      <Button onClick={() => input.current?.click()} icon={<FileSearch className="size-4" aria-hidden />}>
        Choose a file
      </Button>
      <span>or drop it here, of any size</span>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to check"
        onChange={({ target }) => {
          onFile(target.files?.[0]);
          target.value = '';
        }}
      />
    </div>
  );
}
