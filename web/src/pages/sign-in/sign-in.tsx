import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useReading } from '../../api/queries.ts';
import { Plain } from '../../frame/plain.tsx';
import { mailboxOfPass } from '../../parts/code-pass.ts';
import { safePath } from '../../parts/safe-path.ts';
import { SignInOptions } from '../../parts/sign-in-options.tsx';

export function SignInPage() {
  const { next, error, ended } = useSearch({ from: '/sign-in' });
  const target = safePath(next);
  const { history } = useRouter();
  const queries = useQueryClient();
  const { data: account, isPending, failureCount } = useReading('GET /v1/account', {});
  useEffect(() => {
    if (account) history.replace(target);
  }, [account, history, target]);
  // Signed-in visitors never see the form.
  if (account || (isPending && failureCount === 0)) return null;
  return (
    <Plain title="Sign in to Waybill">
      {ended ? (
        <p role="status" className="mb-4 rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn">
          Your session has ended. Sign in to continue where you left off. Text that you had typed is kept.
        </p>
      ) : null}
      <p className="mb-6 text-soft">Messages, orders and files between businesses, with receipts that anyone can verify.</p>
      <SignInOptions
        backTo={{ signedIn: target, failed: `/sign-in?${new URLSearchParams({ next: target })}` }}
        email={mailboxOfPass()}
        error={error}
        isFirst
        onSignedIn={() => {
          // Drops the data of another person in this tab.
          queries.clear();
          history.replace(target);
        }}
      />
      <p className="mt-8 text-sm text-soft">New here? Sign in the same way, then claim a handle for your business.</p>
    </Plain>
  );
}
