import type { Contact } from '../../api/schema.ts';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, CopyButton, Fact, Facts, Time } from '../../ui/parts.tsx';

export function ContactFacts({ contact: { party, activity, can_initiate, blocked } }: { contact: Contact }) {
  const address = addressOf(party).replace(/^@/, '');
  return (
    <Facts>
      <Fact name="Address">
        <span className="-my-1.5 flex items-center gap-1">
          <span className="min-w-0 break-all">{addressOf(party)}</span>
          <CopyButton text={address} label="Copy address" isIcon />
          {blocked ? <Badge tone="bad">Blocked</Badge> : null}
        </span>
        {can_initiate ? null : <p className="text-sm text-soft">Has no handle. You can reply, but not write first.</p>}
      </Fact>
      <Fact name="Messages">
        {number(activity.messages_in)} received, {number(activity.messages_out)} sent
      </Fact>
      {activity.last_seen_at !== null && activity.first_seen_at !== null ? (
        <Fact name="Seen">
          Last <Time at={activity.last_seen_at} />, first <Time at={activity.first_seen_at} />
        </Fact>
      ) : null}
      {activity.types.length > 0 ? (
        <Fact name="Types">
          <span className="flex max-h-20 flex-wrap gap-1.5 overflow-hidden">
            {activity.types.map((type) => (
              <Badge key={type}>
                <Name className="max-w-48 truncate">{type}</Name>
              </Badge>
            ))}
          </span>
        </Fact>
      ) : null}
      {activity.actors.length > 0 ? (
        <Fact name="Senders">
          <Name className="line-clamp-3">
            {activity.actors.map(({ name, email }) => (email === null ? name : `${name} (${email})`)).join(', ')}
          </Name>
        </Fact>
      ) : null}
    </Facts>
  );
}
