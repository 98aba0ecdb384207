import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import { Plain } from '../../frame/plain.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useBeginAs } from './begin-as.ts';
import { HandleField, suggestionFrom } from './handle-field.tsx';
import { SignedInAs } from './signed-in-as.tsx';

export function ClaimPage() {
  const navigate = useNavigate();
  const beginAs = useBeginAs();
  const { data: account } = useReading('GET /v1/account', {});
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const handle = chosen ?? suggestionFrom(name);
  const claim = useAction('POST /v1/businesses');
  const { error } = claim;

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    claim.mutate(
      { body: { handle, display_name: name.trim() } },
      {
        onSuccess: async (business) => {
          await beginAs(business.handle);
          await navigate({ to: '/welcome' });
        },
      },
    );
  };
  // Taken by somebody who was faster.
  const wrongHandle = error?.at('/handle') ?? (error?.code === 'conflict' ? error.message : undefined);
  const wrongName = error?.at('/display_name');
  return (
    <Plain title="Claim a handle">
      <p className="mb-6 text-soft">It is the name by which other businesses reach yours. You become its owner, and can invite others.</p>
      <form onSubmit={onSubmit} className="space-y-4">
        <TextField
          label="Name of your business"
          autoComplete="organization"
          placeholder="Acme Works"
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            claim.reset();
          }}
          error={wrongName}
        />
        <HandleField
          value={handle}
          onChange={(value) => {
            setChosen(value);
            claim.reset();
          }}
          error={wrongHandle}
        />
        {error && wrongHandle === undefined && wrongName === undefined ? <ErrorNote error={error} /> : null}
        <Button type="submit" look="primary" className="w-full" isBusy={claim.isPending || claim.isSuccess}>
          Claim {handle === '' ? 'handle' : `@${handle}`}
        </Button>
      </form>
      <p className="mt-6 text-sm text-soft">
        {account?.email == null ? null : (
          <>
            If you have written to businesses as <Name>{account.email}</Name> before, those threads join yours within seconds.{' '}
          </>
        )}
        {account && account.businesses.length > 0 ? (
          <Link to="/inbox" className="rounded text-accent underline">
            Back to your inbox
          </Link>
        ) : (
          'Were you invited to a business that is here already? Open the link in the mail instead.'
        )}
      </p>
      <SignedInAs />
    </Plain>
  );
}
