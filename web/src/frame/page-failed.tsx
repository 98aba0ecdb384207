import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { ErrorNote } from '../ui/states.tsx';
import { Plain } from './plain.tsx';

export function PageNotFound() {
  return (
    <Plain title="There is no such page">
      <p className="text-soft">
        Check the address, or go to{' '}
        <Link to="/inbox" className="text-accent underline">
          your inbox
        </Link>
        .
      </p>
    </Plain>
  );
}

/** A page that could not be shown at all: the service is away, or a new version has replaced what the page is made of. */
export function PageFailed({ error }: ErrorComponentProps) {
  const shown = error instanceof ApiError ? error : new ApiError(0, { message: 'This page could not be shown. Load it anew.' }, null);
  return (
    <Plain title="Something went wrong">
      <ErrorNote error={shown} onRetry={() => location.reload()} />
    </Plain>
  );
}
