import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Party } from '../api/schema.ts';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';
import { bytes, exactTime, relativeTime } from './format.ts';
import { Name, Title } from './name.tsx';
import { usePageTitle } from './page-title.ts';

export function PageHeader({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  usePageTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight">
          <Title>{title}</Title>
        </h1>
        {children !== undefined ? <p className="mt-1 max-w-prose text-soft wrap-anywhere">{children}</p> : null}
      </div>
      {actions !== undefined ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </header>
  );
}

export function Section({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className="mt-10 first:mt-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

const TONES: Record<Tone, string> = {
  plain: 'bg-hover text-soft',
  good: 'bg-good-tint text-good',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
  accent: 'bg-accent-tint text-accent',
};

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}>
      {children}
    </span>
  );
}

/** A relative time, with the exact time as tooltip. isLong: for sentences, “in 2 hours”. Otherwise for lists, “in 2 hr.”. */
export function Time({ at, isExact = false, isLong = false }: { at: string; isExact?: boolean; isLong?: boolean }) {
  const time = new Date(at);
  return (
    <time dateTime={at} title={exactTime(time)} data-relative={isExact ? undefined : ''} className="whitespace-nowrap">
      {isExact ? exactTime(time) : relativeTime(time, new Date(), isLong)}
    </time>
  );
}

export { bytes };

export const addressOf = (party: Party): string =>
  party.kind === 'handle' ? `@${party.handle}` : party.kind === 'domain' ? party.domain : party.email;

/** Organisations and mailboxes without a handle are named by their address, which is then shown once. */
export const isNamedByAddress = (party: Party): boolean => party.display_name === addressOf(party);

export function PartyName({ party, segment }: { party: Party; segment?: string | null | undefined }) {
  return (
    <span className="min-w-0">
      {isNamedByAddress(party) ? null : (
        <>
          <Name className="font-medium">{party.display_name}</Name>{' '}
        </>
      )}
      <span className={isNamedByAddress(party) ? 'font-medium' : 'text-soft'}>{`${addressOf(party)}${segment ? `/${segment}` : ''}`}</span>
    </span>
  );
}

function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return { isCopied, copy: () => void copyText(text).then(() => setCopied(true)) };
}

interface CopyButtonProps {
  text: string;
  label?: string;
  isIcon?: boolean;
  look?: 'secondary' | 'quiet';
}

export function CopyButton({ text, label = 'Copy', isIcon = false, look = 'secondary' }: CopyButtonProps) {
  const { isCopied, copy } = useCopy(text);
  const icon = isCopied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />;
  if (isIcon)
    return (
      <IconButton label={isCopied ? 'Copied' : label} onClick={copy}>
        {icon}
      </IconButton>
    );
  return (
    <Button look={look} onClick={copy} icon={icon}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}

export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-tint py-1 pr-1 pl-3">
      <code className="min-w-0 grow self-center py-1 font-mono text-sm break-all whitespace-pre-wrap select-all">{text}</code>
      <CopyButton text={text} label={`Copy ${label}`} isIcon />
    </div>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[max-content_1fr] sm:gap-y-2.5">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="mb-2 min-w-0 sm:mb-0">{children}</dd>
    </>
  );
}

export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-xl border border-line">
      {children}
    </ul>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">{children}</li>;
}
