import { LoaderCircle } from 'lucide-react';
import { useIsAway } from '../api/connection.ts';

export function ConnectionBanner() {
  const isAway = useIsAway();
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-3 z-50 flex justify-center px-4 print:hidden">
      {isAway ? (
        <p className="flex items-center gap-2 rounded-full border border-warn/30 bg-warn-tint px-4 py-1.5 text-sm font-medium text-warn shadow-lg">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          {navigator.onLine ? 'Couldn’t connect. Retrying…' : 'You are offline. Reconnecting…'}
        </p>
      ) : null}
    </div>
  );
}
