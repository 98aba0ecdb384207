import { type Ref, useEffect, useEffectEvent, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { retried } from '../../api/lazy.ts';
import { VERBATIM } from '../../ui/field.tsx';
import type { CodeEditor } from './code-editor.ts';
import type { Problem } from './problems.ts';

export interface EditorHandle {
  replace(text: string): void;
  goTo(problem: Problem): void;
  focus(): void;
}

interface EditorProps {
  label: string;
  text: string;
  onChange(text: string): void;
  problems: readonly Problem[] | undefined;
  isLow?: boolean;
  startsFocused?: boolean;
  ref: Ref<EditorHandle>;
}

/** A JSON editor. Until it is loaded, a plain text field takes the text. */
export function Editor({ label, text, onChange, problems, isLow = false, startsFocused = false, ref }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  const [isFailed, setFailed] = useState(false);
  const hintId = useId();
  const [initial] = useState(text);
  const onEdit = useEffectEvent(onChange);

  useLayoutEffect(() => {
    if (startsFocused) plain.current?.focus();
  }, [startsFocused]);
  useEffect(() => {
    let opened: CodeEditor | undefined;
    let isUnmounted = false;
    retried(() => import('./code-editor.ts'))().then(
      ({ openEditor }) => {
        if (isUnmounted || !place.current) return;
        const field = plain.current;
        const typed = field?.value ?? initial;
        opened = openEditor(place.current, { text: typed, label, describedBy: hintId, onChange: (changed) => onEdit(changed) });
        // Done in one step, so that no key is lost in between.
        if (field !== null && field === document.activeElement) opened.goTo({ from: field.selectionStart, to: field.selectionEnd });
        flushSync(() => setEditor(opened));
      },
      () => setFailed(true),
    );
    return () => {
      isUnmounted = true;
      opened?.remove();
    };
  }, [label, hintId, initial]);
  useEffect(() => {
    if (problems) editor?.mark(problems);
  }, [editor, problems]);
  useImperativeHandle(ref, () => ({
    replace: (changed) => editor?.replace(changed),
    goTo: (problem) => editor?.goTo(problem),
    focus: () => (editor ?? plain.current)?.focus(),
  }));

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and then Tab leave the editor, so Escape closes nothing around it
    <div
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      <div
        className={`relative ${isLow ? 'h-56' : 'h-[max(24rem,60dvh)]'} overflow-hidden rounded-xl border border-edge focus-within:border-accent focus-within:ring-1 focus-within:ring-accent`}
      >
        {editor ? null : (
          <textarea
            ref={plain}
            {...VERBATIM}
            aria-label={label}
            aria-describedby={hintId}
            defaultValue={initial}
            onChange={({ target }) => onChange(target.value)}
            className="absolute inset-0 z-10 size-full resize-none bg-paper py-2.5 pr-3 pl-9 font-mono text-sm outline-none"
          />
        )}
        <div ref={place} className="absolute inset-0" />
      </div>
      <p id={hintId} className="mt-1.5 text-xs text-soft">
        Tab indents. To leave with the keyboard, press Escape, then Tab.
      </p>
      <p role="alert" className="text-sm text-bad empty:hidden">
        {isFailed ? 'Couldn’t load the editor. Reload the page.' : ''}
      </p>
    </div>
  );
}
