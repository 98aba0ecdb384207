import { Link } from '@tanstack/react-router';
import { LockKeyhole } from 'lucide-react';
import { Fragment } from 'react';
import type { SearchMatch, SearchResult } from '../../api/schema.ts';
import { TypeBadge } from '../../parts/type-badge.tsx';
import { Name } from '../../ui/name.tsx';
import { PartyName, Time } from '../../ui/parts.tsx';

const FIELDS: Record<SearchMatch['field'], string> = {
  subject: 'Subject',
  type: 'Type',
  note: 'Note',
  from: 'From',
  to: 'To',
  file: 'File',
  id: 'Message id',
  thread_id: 'Thread id',
  json: 'JSON',
  comment: 'Comment',
  author: 'Author',
};
const EXCERPTS_MAX = 3;
const NOTE_CHARS = 120;

export function SearchRow({ result: { message, thread_id, thread_subject, matches, comment } }: { result: SearchResult }) {
  const subject = matches.find(({ field }) => field === 'subject');
  // The subject and the type are shown anyway.
  const excerpts = matches.filter(({ field }) => field !== 'subject' && field !== 'type').slice(0, EXCERPTS_MAX);
  const title = message.subject ?? thread_subject;
  const note = message.note?.slice(0, NOTE_CHARS).replaceAll(/[\t\n\r]+/g, ' ');
  return (
    <Link
      to="/threads/$id"
      params={{ id: thread_id }}
      hash={comment?.id ?? message.id}
      preload={false}
      className="block px-3 py-3 -outline-offset-2 hover:bg-tint"
    >
      <span className="flex items-baseline gap-3">
        <span className="min-w-0 grow truncate text-sm">
          {comment ? (
            <span className="inline-flex items-center gap-1 text-warn">
              <LockKeyhole className="size-3" aria-hidden />
              Comment by <Name className="font-medium">{comment.author.name}</Name>
            </span>
          ) : (
            <PartyName party={message.from.party} />
          )}
        </span>
        {message.type === null || comment ? null : <TypeBadge type={message.type} className="max-w-40 shrink-0 self-center" />}
        <span className="shrink-0 text-sm text-soft">
          <Time at={comment?.created_at ?? message.received_at} />
        </span>
      </span>
      <span className="block truncate font-medium">
        {subject ? <Marked match={subject} /> : <Name>{title ?? note ?? 'No subject'}</Name>}
      </span>
      {excerpts.length === 0 && title !== null && note !== undefined && !comment ? (
        <Name className="block truncate text-sm text-soft">{note}</Name>
      ) : null}
      {excerpts.map((match) => (
        <span key={match.field + match.text} className="block truncate text-sm text-soft">
          <span className="mr-1.5 text-xs">{FIELDS[match.field]}</span>
          <span className={match.field === 'json' ? 'font-mono text-xs' : ''}>
            <Marked match={match} />
          </span>
        </span>
      ))}
    </Link>
  );
}

/** Marks are positions in code points. */
function Marked({ match: { text, marks } }: { match: SearchMatch }) {
  const points = [...text.replaceAll(/[\t\n\r]/g, ' ')];
  const pieces = marks.map(([start = 0, end = 0], i) => ({
    start,
    before: points.slice(marks[i - 1]?.[1] ?? 0, start).join(''),
    marked: points.slice(start, end).join(''),
  }));
  return (
    <>
      {pieces.map(({ start, before, marked }) => (
        <Fragment key={start}>
          <Name>{before}</Name>
          <mark className="rounded-sm bg-warn-tint font-medium text-warn">
            <Name>{marked}</Name>
          </mark>
        </Fragment>
      ))}
      <Name>{points.slice(marks.at(-1)?.[1] ?? 0).join('')}</Name>
    </>
  );
}
