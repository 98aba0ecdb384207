import { lazy, Suspense } from 'react';
import { retried } from '../../api/lazy.ts';
import type { AnyReceipt } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Name, visible } from '../../ui/name.tsx';
import type { State } from './use-check.ts';

const Outcome = lazy(retried(async () => ({ default: (await import('./outcome.tsx')).Outcome })));

/** The status element is always rendered, so that screen readers announce the result. */
export function Result({ receipt, state, onStop }: { receipt: AnyReceipt; state: State; onStop(): void }) {
  return (
    <>
      {state.kind === 'busy' && state.percent !== undefined ? <Progress name={state.name} percent={state.percent} onStop={onStop} /> : null}
      <div role="status">
        <Suspense>{state.kind === 'found' || state.kind === 'failed' ? <Outcome receipt={receipt} state={state} /> : null}</Suspense>
      </div>
    </>
  );
}

function Progress({ name, percent, onStop }: { name: string; percent: number; onStop(): void }) {
  return (
    <div className="flex items-center gap-4">
      <div className="min-w-0 grow">
        <p className="mb-1.5 flex gap-2 text-sm text-soft">
          <Name className="min-w-0 truncate">{name}</Name>
          <span className="shrink-0 tabular-nums">{percent}%</span>
        </p>
        <div
          role="progressbar"
          aria-label={visible(`Check of ${name}`)}
          aria-valuenow={percent}
          className="h-1 overflow-hidden rounded-full bg-hover"
        >
          <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
        </div>
      </div>
      <Button onClick={onStop}>Stop</Button>
    </div>
  );
}
