import { visiblePieces, visibleText } from '../../../server/src/contract/visible-text.ts';

/** For labels and titles, which take text only. */
export const visible = visibleText;

/** What somebody else wrote in a line: a name, subject, type or file name. What can't be seen in it is shown as an escape. */
export function Name({ children, className }: { children: string | null | undefined; className?: string }) {
  return <bdi className={className}>{piecesOf(children)}</bdi>;
}

/** The same for a title, which has its own element. */
export function Title({ children }: { children: string }) {
  return <>{piecesOf(children)}</>;
}

function piecesOf(text: string | null | undefined) {
  return visiblePieces(text ?? '').map(({ text: piece, isEscape }, at) =>
    isEscape ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
      <span key={at} className="rounded bg-warn-tint px-0.5 font-mono text-[0.8em] font-normal text-warn">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
