import { LockKeyhole } from 'lucide-react';
import type { Comment } from '../../../api/schema.ts';
import { ColleagueMark } from '../../../parts/colleague-mark.tsx';
import { Name } from '../../../ui/name.tsx';
import { Time } from '../../../ui/parts.tsx';

export function CommentCard({ comment, isLinked }: { comment: Comment; isLinked: boolean }) {
  const { author, text, created_at } = comment;
  return (
    <article
      aria-label={`Comment by ${author.name}`}
      className={`ml-6 rounded-xl border border-warn/25 bg-warn-tint px-4 py-2.5 sm:ml-9 ${isLinked ? 'animate-flash' : ''}`}
    >
      <p className="flex items-center gap-2 text-sm">
        <ColleagueMark colleague={author} isNamed={false} />
        <Name className="min-w-0 truncate font-medium">{author.name}</Name>
        <span className="inline-flex items-center gap-1 whitespace-nowrap text-warn max-sm:sr-only">
          <LockKeyhole className="size-3" aria-hidden />
          Only your business sees this
        </span>
        <span className="ml-auto shrink-0 text-soft">
          <Time at={created_at} />
        </span>
      </p>
      <p dir="auto" className="mt-1 max-w-prose break-words whitespace-pre-wrap">
        <WithMentions comment={{ ...comment, text }} />
      </p>
    </article>
  );
}

function WithMentions({ comment: { text, mentions } }: { comment: Comment }) {
  const names = mentions.map(({ name }) => `@${name}`).sort((a, b) => b.length - a.length);
  if (names.length === 0) return text;
  const pattern = new RegExp(`(${names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);
  return text.split(pattern).map((piece, at) =>
    names.includes(piece) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other key
      <span key={at} className="font-medium text-accent">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
