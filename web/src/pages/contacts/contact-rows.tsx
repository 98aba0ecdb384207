import { Link } from '@tanstack/react-router';
import { SquarePen } from 'lucide-react';
import type { List } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import { useLongList } from '../../ui/long-list.ts';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, isNamedByAddress, Time } from '../../ui/parts.tsx';
import { addressIn, type Summary } from './contact-list.ts';

const ROW_PX = { wide: 60, narrow: 84 };
const WITHOUT_HANDLE = { handle: '', domain: 'Organisation without a handle', mailbox: 'Private mailbox' };

export function ContactRows({ list }: { list: List<Summary> }) {
  const long = useLongList(list, ({ key }) => key, ROW_PX);
  return (
    <ul {...long.list} aria-label="Contacts" className="relative border-t border-line">
      {long.rows.map(({ item: contact, key, row }) => (
        <li key={key} {...row} className="absolute inset-x-0 top-0 flex items-center gap-2 border-b border-line">
          <ContactLink contact={contact} />
          <span className="flex w-11 shrink-0 justify-end md:w-24">
            {contact.canInitiate ? (
              <ButtonLink
                to="/compose"
                search={{ to: addressOf(contact.party).replace(/^@/, '') }}
                look="quiet"
                aria-label={`Write to ${addressOf(contact.party)}`}
                icon={<SquarePen className="size-4" aria-hidden />}
              >
                <span className="max-md:hidden">Write</span>
              </ButtonLink>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ContactLink({ contact }: { contact: Summary }) {
  const { party, label, isBlocked, received, sent, types, moreTypes, lastSeenAt } = contact;
  const isNamed = !isNamedByAddress(party);
  return (
    <Link
      to="/contacts/$address"
      params={{ address: addressIn(party) }}
      className="grid h-full min-w-0 grow grid-cols-[1fr_auto] content-center items-center gap-x-4 gap-y-1 px-2 text-left -outline-offset-2 hover:bg-tint md:grid-cols-[minmax(0,5fr)_minmax(0,3fr)_8.5rem_5rem]"
    >
      <span className="min-w-0">
        <span className="block truncate">
          <Name className="font-medium">{label || party.display_name}</Name> {isBlocked ? <Badge tone="bad">Blocked</Badge> : null}
        </span>
        <span className="block truncate text-sm text-soft">
          {label !== '' && isNamed ? (
            <>
              <Name>{party.display_name}</Name> ·{' '}
            </>
          ) : null}
          {label === '' && !isNamed ? WITHOUT_HANDLE[party.kind] : addressOf(party)}
        </span>
      </span>
      <span className="flex min-w-0 items-center gap-1.5 overflow-hidden max-md:hidden">
        {types.map((type) => (
          <Badge key={type}>
            <Name>{type}</Name>
          </Badge>
        ))}
        {moreTypes > 0 ? <span className="text-xs text-soft">+{moreTypes}</span> : null}
      </span>
      <span className="text-sm text-soft tabular-nums max-md:col-start-1 max-md:row-start-2">
        {received + sent === 0 ? 'No messages yet' : `${number(received)} in · ${number(sent)} out`}
      </span>
      <span className="text-right text-sm text-soft max-md:col-start-2 max-md:row-start-1 max-md:self-start max-md:pt-0.5">
        {lastSeenAt === null ? null : <Time at={lastSeenAt} />}
      </span>
    </Link>
  );
}
