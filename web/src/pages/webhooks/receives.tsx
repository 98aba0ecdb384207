import { useActiveBusiness } from '../../api/business.ts';

/** Which messages a webhook receives. */
export function Receives({ target }: { target: string | null }) {
  const handle = useActiveBusiness();
  if (target === null) return 'All messages';
  return (
    <>
      Messages to{' '}
      <span className="font-mono">
        {handle}/{target}
      </span>
    </>
  );
}
