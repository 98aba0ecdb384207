import { type Ref, useEffect, useEffectEvent, useId, useImperativeHandle, useRef, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import type { CodeEditor } from './code-editor.ts';
import type { Problem } from './problems.ts';

export interface EditorHandle {
  replace(text: string): void;
  goTo(problem: Problem): void;
}

interface EditorProps {
  label: string;
  /** What the editor starts with. */
  text: string;
  onChange(text: string): void;
  /** What to mark; undefined keeps the current marks. */
  problems: readonly Problem[] | undefined;
  /** Lower than a page about the JSON alone. */
  isLow?: boolean;
  ref: Ref<EditorHandle>;
}

/** A JSON editor. It shows the text until the editor is loaded. */
export function Editor({ label, text, onChange, problems, isLow = false, ref }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  const [isFailed, setFailed] = useState(false);
  const hintId = useId();
  const [initial] = useState(text);
  const onEdit = useEffectEvent(onChange);

  useEffect(() => {
    let opened: CodeEditor | undefined;
    let isUnmounted = false;
    retried(() => import('./code-editor.ts'))().then(
      ({ openEditor }) => {
        if (isUnmounted || !place.current) return;
        opened = openEditor(place.current, { text: initial, label, describedBy: hintId, onChange: (changed) => onEdit(changed) });
        setEditor(opened);
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
  }));

  return (
    <div>
      <div
        className={`relative ${isLow ? 'h-56' : 'h-[max(24rem,60dvh)]'} overflow-hidden rounded-xl border border-edge focus-within:border-accent focus-within:ring-1 focus-within:ring-accent`}
      >
        {editor ? null : <pre className="h-full animate-late overflow-hidden py-2.5 pl-14 font-mono text-sm text-soft">{text}</pre>}
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
