import { Link, type LinkProps } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { visible } from './name.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

const SHAPE =
  'inline-flex h-9 shrink-0 items-center justify-center gap-2 rounded-lg px-3.5 text-base font-medium whitespace-nowrap transition-colors disabled:opacity-60';
const LOOKS: Record<Look, string> = {
  primary: 'bg-ink text-paper enabled:hover:opacity-90',
  secondary: 'border border-line bg-paper enabled:hover:bg-hover',
  quiet: 'text-soft enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'bg-bad text-paper enabled:hover:opacity-90',
};

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  /** Shows a spinner after a moment, and disables the button. */
  isBusy?: boolean;
  icon?: ReactNode;
}

export function Button({ look = 'secondary', isBusy = false, icon, className = '', children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      className={`${SHAPE} ${LOOKS[look]} relative ${className}`}
    >
      {isBusy ? (
        <span className="absolute inset-0 grid animate-late place-items-center">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
        </span>
      ) : null}
      {/* Still in its place, so that the button keeps its width and its name; hidden when the spinner appears. */}
      <span className={`inline-flex items-center gap-2 ${isBusy ? 'animate-fade-late' : ''}`}>
        {icon}
        {children}
      </span>
    </button>
  );
}

export function ButtonLink({
  look = 'secondary',
  icon,
  className = '',
  children,
  ...rest
}: LinkProps & Pick<ComponentProps<'a'>, 'onClick'> & { look?: Look; icon?: ReactNode; className?: string; children: ReactNode }) {
  return (
    <Link {...rest} className={`${SHAPE} ${LOOKS[look].replaceAll('enabled:', '')} ${className}`}>
      {icon}
      {children}
    </Link>
  );
}

/** A button with only an icon. The label is its accessible name and its tooltip. */
export function IconButton({ label, children, className = '', ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={visible(label)}
      title={visible(label)}
      {...rest}
      className={`inline-grid size-8 shrink-0 place-items-center rounded-lg text-soft transition-colors enabled:hover:bg-hover enabled:hover:text-ink disabled:opacity-60 ${className}`}
    >
      {children}
    </button>
  );
}
