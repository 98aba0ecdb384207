import { useEffect, useRef, useState } from 'react';
import { Editor, type EditorHandle } from '../../parts/json-editor/editor.tsx';
import { ProblemList } from '../../parts/json-editor/problem-list.tsx';
import { Button } from '../../ui/button.tsx';
import { useLastKnown } from '../../ui/last-known.ts';
import type { Checking } from './checking.ts';
import { sampleFor, useNewestJson } from './sample.ts';
import { VerdictNote } from './verdict-note.tsx';

interface TryItProps {
  schema: string;
  sample: string;
  onSample(sample: string): void;
  checking: Checking;
}

export function TryIt({ schema, sample, onSample, checking }: TryItProps) {
  const newest = useNewestJson();
  return (
    <section aria-labelledby="sample-heading">
      {newest.isPending ? (
        <div className="h-105" />
      ) : (
        <SamplePane schema={schema} sample={sample} onSample={onSample} checking={checking} newest={newest.data ?? null} />
      )}
    </section>
  );
}

function SamplePane({ schema, sample, onSample, checking, newest }: TryItProps & { newest: string | null }) {
  const editor = useRef<EditorHandle>(null);
  const [initial] = useState(() => newest ?? sampleFor(schema));
  useEffect(() => onSample(initial), [onSample, initial]);
  const problems = useLastKnown(checking.sampleProblems) ?? [];
  const verdict = useLastKnown(checking.verdict);
  return (
    <>
      <div className="mb-2 flex min-h-9 flex-wrap items-center justify-between gap-2">
        <h2 id="sample-heading" className="text-lg font-semibold">
          Try it
        </h2>
        <div className="flex gap-1">
          {newest !== null ? (
            <Button look="quiet" onClick={() => editor.current?.replace(newest)}>
              Newest message
            </Button>
          ) : null}
          <Button look="quiet" onClick={() => editor.current?.replace(sampleFor(schema))}>
            Generate sample
          </Button>
        </div>
      </div>
      <Editor ref={editor} label="Sample" text={initial} onChange={onSample} problems={checking.sampleProblems} />
      <div className="mt-2">
        <VerdictNote verdict={verdict} reason={reasonFor(sample, checking)} errors={problems.length} />
      </div>
      <ProblemList label="Sample errors" problems={problems} onGo={(problem) => editor.current?.goTo(problem)} />
    </>
  );
}

function reasonFor(sample: string, { sampleProblems, schemaProblems }: Checking): string {
  if (sample.trim() === '') return 'Enter JSON to check.';
  if (sampleProblems?.some(({ path }) => path === undefined)) return 'The sample is not valid JSON.';
  return schemaProblems && schemaProblems.length > 0 ? 'Fix the schema to check the sample.' : '';
}
