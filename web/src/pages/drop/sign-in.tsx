import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { SignInOptions } from '../../parts/sign-in-options.tsx';
import { switchPerson } from './switch-person.ts';

export function SignIn({ handle }: { handle: string }) {
  const queries = useQueryClient();
  const { error } = useSearch({ strict: false });
  return (
    <section aria-labelledby="who" className="mt-8">
      <h2 id="who" className="text-lg font-semibold">
        Sign in to send
      </h2>
      <p className="mb-4 text-soft">The recipient sees your verified email address. No password needed. Your text is kept.</p>
      <div className="max-w-sm">
        <SignInOptions
          backTo={{ signedIn: `/@${handle}`, failed: `/@${handle}` }}
          error={error}
          onSignedIn={() => void switchPerson(queries)}
        />
      </div>
    </section>
  );
}
