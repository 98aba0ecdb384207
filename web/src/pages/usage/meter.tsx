import { type ReactNode, useId } from 'react';

interface MeterProps {
  label: string;
  used: number;
  /** 0: no limit. */
  limit: number;
  format(value: number): string;
  children: ReactNode;
}

const WARNING_FROM = 0.8;

export function Meter({ label, used, limit, format, children }: MeterProps) {
  const id = useId();
  const part = limit === 0 ? 0 : Math.min(1, used / limit);
  const colour = part >= 1 ? 'bg-bad' : part >= WARNING_FROM ? 'bg-warn' : 'bg-accent';
  return (
    <div className="rounded-xl border border-line p-4 sm:p-5">
      <p id={id} className="text-sm text-soft">
        {label}
      </p>
      <p className="mt-1 mb-3 tabular-nums">
        <span className="text-xl font-semibold">{format(used)}</span>{' '}
        <span className="text-soft">{limit === 0 ? 'no limit' : `of ${format(limit)}`}</span>
      </p>
      {limit === 0 ? null : (
        <>
          <meter aria-labelledby={id} max={limit} value={Math.min(used, limit)} className="sr-only" />
          <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-hover">
            <div className={`h-full rounded-full ${colour}`} style={{ width: `${part * 100}%`, minWidth: used > 0 ? '0.375rem' : 0 }} />
          </div>
          <p className="mt-2.5 text-sm text-soft">
            {part >= 1 ? <span className="font-medium text-bad">Limit reached. </span> : null}
            {part >= WARNING_FROM && part < 1 ? <span className="font-medium text-warn">Almost at the limit. </span> : null}
            {children}
          </p>
        </>
      )}
    </div>
  );
}
