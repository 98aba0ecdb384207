import { useEffect, useRef, useState } from 'react';
import { visible } from '../../ui/name.tsx';
import { Loading } from '../../ui/states.tsx';

const PATIENCE_MS = 60_000;

/**
 * A PDF, drawn in a frame without an origin (src/pdf/main.ts). The frame can only say one of three words. A document that it can't draw, or not in
 * time, is downloaded instead.
 */
export function PdfPreview({ bytes, name }: { bytes: ArrayBuffer; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      const drawing = frame.current?.contentWindow;
      if (!drawing || source !== drawing) return;
      // A frame without an origin has no address other than `*`.
      if (data === 'ready') drawing.postMessage(bytes, '*');
      else if (data === 'shown' || data === 'failed') setState(data);
    };
    addEventListener('message', onMessage);
    const timer = setTimeout(() => setState((known) => (known === 'loading' ? 'failed' : known)), PATIENCE_MS);
    return () => {
      removeEventListener('message', onMessage);
      clearTimeout(timer);
    };
  }, [bytes]);
  if (state === 'failed') return <p className="px-3 py-2 text-sm text-soft">No preview: the file can’t be drawn. Download it instead.</p>;
  return (
    <>
      {state === 'loading' ? <Loading rows={2} label="Drawing the pages" /> : null}
      <iframe
        ref={frame}
        src="/pdf.html"
        sandbox="allow-scripts"
        title={visible(`Preview of ${name}`)}
        className={`block w-full ${state === 'shown' ? 'h-128 max-h-[80vh]' : 'h-0'}`}
      />
    </>
  );
}
