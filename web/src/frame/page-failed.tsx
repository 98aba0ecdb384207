import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { pageError, WaybillError } from '../api/client.ts';
import { useIsAway } from '../api/connection.ts';
import { ErrorNote } from '../ui/states.tsx';
import { Plain } from './plain.tsx';

export function PageNotFound() {
  return (
    <Plain title="Page not found">
      <p className="text-soft">
        Check the address, or go to your{' '}
        <Link to="/inbox" className="text-accent underline">
          inbox
        </Link>
        .
      </p>
    </Plain>
  );
}

/** Shown if the service can't be reached, or a new version has replaced the files of the page. */
export function PageFailed({ error }: ErrorComponentProps) {
  const isAway = useIsAway();
  const shown = error instanceof WaybillError ? error : pageError('Couldn’t load this page. Reload it to try again.');
  return (
    <Plain title="Something went wrong">
      {isAway ? (
        <p className="text-soft">Couldn’t connect. This page loads when the service is back.</p>
      ) : (
        <ErrorNote error={shown} onRetry={() => location.reload()} />
      )}
    </Plain>
  );
}
