import { FileSearch } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { AnyReceipt } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Section } from '../../ui/parts.tsx';
import { Result } from './result.tsx';
import { useCheck } from './use-check.ts';

const TYPING_MS = 250;

/** Compares a file or JSON with the receipt. Nothing leaves the browser. */
export function CheckBox({ receipt }: { receipt: AnyReceipt }) {
  const hasJson = receipt.json_sha256 !== null;
  const hasFiles = receipt.files.length > 0;
  const compared = hasJson && hasFiles ? 'JSON or a file is' : hasJson ? 'JSON is' : hasFiles ? 'a file is' : undefined;
  return (
    <Section title="Compare your copy">
      <p className="mb-4 text-soft">
        {compared === undefined
          ? 'Verify a proof that you have (.waybill-proof).'
          : `Check whether ${compared} what was delivered, or verify a proof that you have (.waybill-proof).`}{' '}
        It never leaves your browser.
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
    const timer = setTimeout(() => text(written), TYPING_MS);
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
          label="Or paste JSON"
          hint="Whitespace and key order do not matter."
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
        Choose file
      </Button>
      <span>or drop it here</span>
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
