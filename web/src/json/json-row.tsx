import { ChevronRight, CircleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { keysOf } from '../keys-of.ts';
import { number } from '../ui/format.ts';
import { Title } from '../ui/name.tsx';
import { previewOf } from './preview.ts';
import { patternOf } from './rows.ts';
import type { JsonTree, Kind } from './tree.ts';

export const ROW_PX = 26;
/** Deeper levels are not indented further, but show their level as a number. */
const INDENTED_LEVELS_MAX = 12;
const TEXT_CHARS = 300;

interface JsonRowProps {
  id: string;
  tree: JsonTree;
  node: number;
  start: number;
  isOpen: boolean;
  isCurrent: boolean;
  words: string;
  errors: string[] | undefined;
  hidden: number | undefined;
  onPress(): void;
}

export const JsonRow = memo(
  function JsonRow({ id, tree, node, start, isOpen, isCurrent, words, errors, hidden, onPress }: JsonRowProps) {
    const isContainer = tree.isContainer(node);
    const level = tree.level(node);
    const parent = tree.parent(node);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the current row
      <div
        id={id}
        role="treeitem"
        aria-level={level}
        aria-setsize={parent < 0 ? 1 : tree.children(parent)}
        aria-posinset={tree.position(node) + 1}
        aria-expanded={isContainer && tree.children(node) > 0 ? isOpen : undefined}
        aria-selected={isCurrent}
        onClick={onPress}
        className={`absolute inset-x-0 top-0 flex cursor-default items-center gap-1.5 pr-3 whitespace-pre ${errors ? 'bg-bad-tint' : isCurrent ? 'bg-hover' : 'hover:bg-tint'} ${isCurrent ? 'group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-accent' : ''}`}
        style={{
          height: ROW_PX,
          transform: `translateY(${start}px)`,
          paddingLeft: 8 + (Math.min(level, INDENTED_LEVELS_MAX) - 1) * 16,
        }}
      >
        <span className="w-4 shrink-0 text-soft">
          {isContainer && tree.children(node) > 0 ? <ChevronRight className={`size-4 ${isOpen ? 'rotate-90' : ''}`} aria-hidden /> : null}
        </span>
        {level > INDENTED_LEVELS_MAX ? (
          <span className="shrink-0 rounded bg-hover px-1.5 font-sans text-xs text-soft">level {number(level)}</span>
        ) : null}
        <Name tree={tree} node={node} words={words} />
        <Content tree={tree} node={node} words={words} isOpen={isOpen} />
        {hidden !== undefined ? (
          <span className="shrink-0 text-bad">
            {hidden} {hidden === 1 ? 'error' : 'errors'} inside
          </span>
        ) : null}
        {errors ? (
          <span className="ml-2 inline-flex min-w-0 shrink items-center gap-1.5 font-sans text-bad">
            <CircleAlert className="size-3.5 shrink-0" aria-hidden />
            <span className="truncate" title={errors.join('; ')}>
              {errors.join('; ')}
            </span>
          </span>
        ) : null}
      </div>
    );
  },
  (before, after) => keysOf(after).every((name) => name === 'onPress' || before[name] === after[name]),
);

function Name({ tree, node, words }: { tree: JsonTree; node: number; words: string }) {
  const key = tree.key(node);
  if (key === undefined) return node === 0 ? null : <span className="shrink-0 text-soft">{tree.position(node)}</span>;
  return (
    <bdi className="max-w-1/2 shrink-0 truncate font-medium">
      <Marked text={key.slice(0, TEXT_CHARS)} words={words} />
      <span className="text-soft">:</span>
    </bdi>
  );
}

const LOOKS: Record<Kind, string> = {
  object: 'text-soft',
  array: 'text-soft',
  string: 'text-good',
  number: 'text-accent',
  word: 'text-warn',
};

function Content({ tree, node, words, isOpen }: { tree: JsonTree; node: number; words: string; isOpen: boolean }) {
  const kind = tree.kind(node);
  const count = tree.children(node);
  if (kind === 'object' || kind === 'array') {
    const [opening, closing] = kind === 'object' ? '{}' : '[]';
    if (count === 0) return <span className={`shrink-0 ${LOOKS[kind]}`}>{`${opening}${closing}`}</span>;
    if (isOpen) return <span className={`shrink-0 ${LOOKS[kind]}`}>{`${opening} ${number(count)} ${closing}`}</span>;
    return (
      <bdi className={`min-w-0 truncate ${LOOKS[kind]}`}>
        {kind === 'array' ? `${number(count)} × ` : ''}
        <Title>{previewOf(tree, node)}</Title>
      </bdi>
    );
  }
  return (
    <bdi className={`min-w-0 truncate ${LOOKS[kind]}`}>
      <Marked text={tree.raw(node, TEXT_CHARS)} words={words} />
      {tree.length(node) > TEXT_CHARS ? '…' : ''}
    </bdi>
  );
}

function Marked({ text, words }: { text: string; words: string }): ReactNode {
  if (words === '') return <Title>{text}</Title>;
  const found = patternOf(words).exec(text);
  if (!found) return <Title>{text}</Title>;
  const end = found.index + found[0].length;
  return (
    <>
      <Title>{text.slice(0, found.index)}</Title>
      <mark className="rounded bg-warn-tint text-warn">
        <Title>{text.slice(found.index, end)}</Title>
      </mark>
      <Title>{text.slice(end)}</Title>
    </>
  );
}
