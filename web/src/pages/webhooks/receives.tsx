import { useActiveBusiness } from '../../api/business.ts';

/** Which messages a webhook is told of. */
export function Receives({ target }: { target: string | null }) {
  const handle = useActiveBusiness();
  if (target === null) return 'All messages';
  return (
    <>
      Only messages to{' '}
      <span className="font-mono">
        {handle}/{target}
      </span>
    </>
  );
}
