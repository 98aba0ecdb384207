import { useActiveBusiness } from '../../api/business.ts';
import type { Webhook } from '../../api/schema.ts';
import { Name } from '../../ui/name.tsx';
import { labelOfEvent } from './events.tsx';

export function Receives({ webhook: { target, types, events } }: { webhook: Pick<Webhook, 'target' | 'types' | 'events'> }) {
  const handle = useActiveBusiness();
  const others = events.filter((event) => event !== 'message.received');
  if (others.length === events.length) return others.map(labelOfEvent).join(', ');
  return (
    <>
      {target === null && types === null ? 'All messages' : 'Messages'}
      {target === null ? null : (
        <>
          {' to '}
          <span className="font-mono">
            {handle}/{target}
          </span>
        </>
      )}
      {types === null ? null : (
        <>
          {types.length === 1 ? ' of type ' : ' of types '}
          <Codes texts={types} />
        </>
      )}
      {others.length === 0 ? null : `, ${others.map(labelOfEvent).join(', ').toLowerCase()}`}
    </>
  );
}

export function Codes({ texts }: { texts: readonly string[] }) {
  return texts.map((text, at) => (
    <span key={text}>
      {at === 0 ? '' : ', '}
      <code className="font-mono text-sm">
        <Name>{text}</Name>
      </code>
    </span>
  ));
}
