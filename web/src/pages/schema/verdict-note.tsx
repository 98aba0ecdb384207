import { CircleCheck, CircleX } from 'lucide-react';
import type { Checking } from './checking.ts';

interface VerdictNoteProps {
  verdict: Checking['verdict'];
  reason: string;
  errors: number;
}

export function VerdictNote({ verdict, reason, errors }: VerdictNoteProps) {
  return (
    <p role="status" className="flex min-h-6 items-center gap-2 text-sm font-medium">
      {verdict === 'passed' ? (
        <span className="inline-flex items-center gap-2 text-good">
          <CircleCheck className="size-4" aria-hidden />
          Passed
        </span>
      ) : verdict === 'failed' ? (
        <span className="inline-flex items-center gap-2 text-bad">
          <CircleX className="size-4" aria-hidden />
          Failed with {errors} {errors === 1 ? 'error' : 'errors'}
        </span>
      ) : (
        <span className="font-normal text-soft">{reason}</span>
      )}
    </p>
  );
}
