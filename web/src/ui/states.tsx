import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WaybillError } from '../api/client.ts';
import { Button } from './button.tsx';

export function ErrorNote({ error, onRetry }: { error: WaybillError; onRetry?: () => void }) {
  return (
    <div role="alert" className="my-3 flex gap-3 rounded-lg bg-bad-tint px-4 py-3 text-sm">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 grow">
        <p className="font-medium text-bad">{error.message}</p>
        {error.details.length > 0 ? (
          <ul className="mt-1 list-disc pl-4 text-soft">
            {error.details.map(({ path, message }) => (
              <li key={path + message}>
                {path !== '' ? <code>{path.slice(1)}</code> : null} {message}
              </li>
            ))}
          </ul>
        ) : null}
        {error.requestId !== undefined ? (
          <p className="mt-1 text-xs text-soft">
            Request id <code className="select-all">{error.requestId}</code>
          </p>
        ) : null}
      </div>
      {onRetry && canHelp(error) ? <Button onClick={onRetry}>Retry</Button> : null}
    </div>
  );
}

/** A refusal is final; time-outs, limits and faults pass. */
const canHelp = ({ status }: WaybillError): boolean => status < 400 || status >= 500 || status === 408 || status === 429;

export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-xl border border-dashed border-line px-6 py-16 text-center">
      {icon !== undefined ? <div className="mb-1 text-soft">{icon}</div> : null}
      <p className="text-lg font-medium">{title}</p>
      {children !== undefined ? <div className="max-w-md text-soft">{children}</div> : null}
    </div>
  );
}

/** Grey bars while loading, shown after a moment so that fast responses do not flicker. */
export function Loading({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="animate-late space-y-3">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
        <div key={row} className="h-12 animate-pulse rounded-lg bg-tint" />
      ))}
    </div>
  );
}

interface StatesProps<Data> {
  of: { data: Data | undefined; error: WaybillError | null; refetch(): unknown };
  rows?: number;
  children(data: Data): ReactNode;
}

export function States<Data>({ of, rows, children }: StatesProps<Data>) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <ErrorNote error={of.error} onRetry={() => void of.refetch()} />;
  return <Loading rows={rows ?? 3} />;
}
