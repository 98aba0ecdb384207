import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { DISPLAY_NAME_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { Plain } from '../../frame/plain.tsx';
import { safePath } from '../../parts/safe-path.ts';
import { SignedInAs } from '../../parts/signed-in-as.tsx';
import { TextField } from '../../ui/field.tsx';
import { useFirstFocus } from '../../ui/focus.ts';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { useForm } from '../../ui/use-form.ts';
import { HandleField, suggestionFrom } from './handle-field.tsx';
import { useJoinBusiness } from './join-business.ts';

export function ClaimPage() {
  const { next } = useSearch({ from: '/claim' });
  const navigate = useNavigate();
  const { history } = useRouter();
  const joinBusiness = useJoinBusiness();
  const { data: account } = useReading('GET /v1/account', {});
  const claim = useAction('POST /v1/businesses');
  const name = useFirstFocus();
  const [isChosen, setChosen] = useState(false);
  const form = useForm({
    initial: { display_name: '', handle: '' },
    // Somebody else has claimed the handle since it was checked.
    codes: { conflict: 'handle' },
    submit: async ({ display_name }) => {
      const business = await claim.mutateAsync({ body: { handle, display_name: display_name.trim() } });
      await joinBusiness(business.handle);
      if (next === undefined) await navigate({ to: '/welcome' });
      else history.push(safePath(next));
    },
  });
  const handle = isChosen ? form.fields.handle : suggestionFrom(form.fields.display_name);
  return (
    <Plain title="Claim a handle">
      {next?.startsWith('/threads/') ? (
        <p className="mb-4 rounded-lg bg-accent-tint px-4 py-3 text-sm">
          Your thread is read in the inbox of a business. Claim a handle, and it opens next.
        </p>
      ) : null}
      <p className="mb-6 text-soft">Other businesses reach yours by its handle. You become the owner and can invite others.</p>
      <Form form={form} className="space-y-4">
        <TextField
          ref={name}
          label="Business name"
          autoComplete="organization"
          placeholder="Acme Works"
          required
          maxLength={DISPLAY_NAME_MAX_CHARS}
          {...form.field('display_name')}
        />
        <HandleField
          value={handle}
          onChange={(chosen) => {
            setChosen(true);
            form.set({ handle: chosen });
          }}
          error={form.field('handle').error}
        />
        <SubmitButton form={form} className="w-full">
          Claim {handle === '' ? 'handle' : `@${handle}`}
        </SubmitButton>
      </Form>
      <p className="mt-6 text-sm text-soft">
        {account?.email == null ? null : (
          <>
            Threads that you started as <Name>{account.email}</Name> move to the new business.{' '}
          </>
        )}
        {account && account.businesses.length > 0 ? (
          <Link to="/inbox" className="rounded text-accent underline">
            Back to inbox
          </Link>
        ) : (
          'Invited to an existing business? Open the link in the invitation email instead.'
        )}
      </p>
      <SignedInAs />
    </Plain>
  );
}
