import { visiblePieces, visibleText } from '../../../server/src/contract/visible-text.ts';

/** For attributes, which take only text. */
export const visible = visibleText;

/** A line of text by someone else: a name, subject, type or file name. Invisible characters are shown as escapes. */
export function Name({ children, className }: { children: string | null | undefined; className?: string }) {
  return <bdi className={className}>{piecesOf(children)}</bdi>;
}

/** The same without an element, for headings. */
export function Title({ children }: { children: string }) {
  return <>{piecesOf(children)}</>;
}

function piecesOf(text: string | null | undefined) {
  return visiblePieces(text ?? '').map(({ text: piece, isEscape }, at) =>
    isEscape ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other key
      <span key={at} className="rounded bg-warn-tint px-0.5 font-mono text-[0.8em] font-normal text-warn">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
