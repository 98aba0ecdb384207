import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useReading } from '../../api/queries.ts';
import { Plain } from '../../frame/plain.tsx';
import { WaysIn } from '../../parts/ways-in.tsx';
import { ownPath } from './own-path.ts';

export function SignInPage() {
  const { next, error } = useSearch({ from: '/sign-in' });
  const goal = ownPath(next);
  const { history } = useRouter();
  const queries = useQueryClient();
  const { data: account, isPending, failureCount } = useReading('GET /v1/account', {});
  useEffect(() => {
    if (account) history.replace(goal);
  }, [account, history, goal]);
  // Whoever has signed in already never sees the form.
  if (account || (isPending && failureCount === 0)) return null;
  return (
    <Plain title="Sign in to Waybill">
      <p className="mb-6 text-soft">
        Waybill carries messages, orders and files between businesses, with a receipt that anybody can check.
      </p>
      <WaysIn
        backTo={{ signedIn: goal, failed: `/sign-in?${new URLSearchParams({ next: goal })}` }}
        error={error}
        onSignedIn={() => {
          // Whatever somebody else had read before.
          queries.clear();
          history.replace(goal);
        }}
      />
      <p className="mt-8 text-sm text-soft">New here? You sign in the same way, and then claim a handle for your business.</p>
    </Plain>
  );
}
