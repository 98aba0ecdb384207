import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { WaysIn } from '../../parts/ways-in.tsx';
import { asSomebodyElse } from './somebody-else.ts';

/** Whoever writes shows first that a mailbox is theirs. */
export function SignIn({ handle }: { handle: string }) {
  const queries = useQueryClient();
  const { error } = useSearch({ strict: false });
  return (
    <section aria-labelledby="who" className="mt-8">
      <h2 id="who" className="text-lg font-semibold">
        Who are you?
      </h2>
      <p className="mb-4 text-soft">They see your address, and that it is yours. There is no password. What you have written stays here.</p>
      <div className="max-w-sm">
        <WaysIn backTo={{ signedIn: `/@${handle}`, failed: `/@${handle}` }} error={error} onSignedIn={() => void asSomebodyElse(queries)} />
      </div>
    </section>
  );
}
