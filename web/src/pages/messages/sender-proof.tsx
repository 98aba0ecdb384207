import { useReading } from '../../api/queries.ts';
import { DomainProof } from '../../parts/domain-proof.tsx';
import type { SenderNews } from './sender-news.ts';
import type { Message } from './thread-messages.ts';

interface SenderProofProps {
  message: Message;
  news: SenderNews | undefined;
  isOurs: boolean;
}

export function SenderProof({ message: { from, received_at }, news, isOurs }: SenderProofProps) {
  const { party } = from;
  const isNew = news !== undefined && !isOurs && party.kind === 'handle';
  return <DomainProof party={party} none={isNew ? <Unverified handle={party.handle} news={news} at={received_at} /> : null} />;
}

function Unverified({ handle, news, at }: { handle: string; news: SenderNews; at: string }) {
  const { data, error } = useReading('GET /v1/contacts/by-party', { query: { handle } }, { enabled: news === 'first' });
  if (news === 'renamed') return '· New name, no verified domain';
  const first = data?.activity.first_seen_at;
  const isFirst = error?.status === 404 || (data && (first === null || first === undefined || at <= first));
  return isFirst ? '· First contact, no verified domain' : null;
}
