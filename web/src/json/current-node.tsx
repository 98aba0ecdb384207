import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { visible } from '../ui/name.tsx';
import { CopyButton } from '../ui/parts.tsx';
import type { JsonTree } from './tree.ts';

const LONG_CHARS = 80;
const SHOWN_CHARS = 200_000;

const visibleLines = (text: string): string => text.replace(/[^\n\t]+/g, visible);

export function CurrentNode({ tree, node }: { tree: JsonTree; node: number }) {
  const [isShown, setShown] = useState(false);
  const pointer = tree.pointer(node);
  const isLong = tree.kind(node) === 'string' && (tree.length(node) > LONG_CHARS || tree.raw(node).includes('\\n'));
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-1 border-t border-line py-1 pr-1.5 pl-3 text-sm text-soft">
      <p className="min-w-0 grow truncate max-sm:basis-full max-sm:pt-1">
        <span className="sr-only">Path: </span>
        <code className="font-mono text-xs">{pointer === '' ? '(root)' : visible(pointer)}</code>
      </p>
      {isLong ? (
        <Button look="quiet" className="h-8" onClick={() => setShown(true)}>
          Show full text
        </Button>
      ) : null}
      <CopyButton key={`path ${node}`} look="quiet" text={pointer} label="Copy path" />
      <CopyButton key={`value ${node}`} look="quiet" text={tree.value(node)} label="Copy value" />
      {isShown ? (
        <Dialog title={pointer} isWide onClose={() => setShown(false)}>
          <pre dir="auto" className="max-h-[60vh] overflow-y-auto font-sans break-words whitespace-pre-wrap">
            {visibleLines(tree.value(node).slice(0, SHOWN_CHARS))}
          </pre>
        </Dialog>
      ) : null}
    </div>
  );
}
