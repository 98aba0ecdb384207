import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

export function Step({ number, title, isDone, children }: { number: number; title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className="group flex gap-4 pb-10">
      <div aria-hidden className="flex flex-col items-center gap-2">
        <span
          className={`grid size-7 shrink-0 place-items-center rounded-full text-sm font-medium ${isDone ? 'bg-good-tint text-good' : 'border border-line text-soft'}`}
        >
          {isDone ? <Check className="size-4" /> : number}
        </span>
        <span className="-mb-8 w-px grow bg-line group-last:hidden" />
      </div>
      <div className="min-w-0 grow pt-0.5">
        <h2 className="mb-2 text-lg font-semibold">
          {title}
          {isDone ? <span className="sr-only"> (done)</span> : null}
        </h2>
        {children}
      </div>
    </li>
  );
}
