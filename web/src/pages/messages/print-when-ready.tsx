import { useEffect, useEffectEvent, useRef } from 'react';

/** A part that doesn't load must not keep the rest from paper. */
const PARTS_MS = 15_000;

/** Opens the print dialog of the browser once all beside it is drawn, and its images are there. */
export function PrintWhenReady({ onDone }: { onDone(): void }) {
  const place = useRef<HTMLSpanElement>(null);
  const end = useEffectEvent(onDone);
  useEffect(() => {
    const onEnd = () => end();
    addEventListener('afterprint', onEnd);
    let isGone = false;
    const whenDrawn = async () => {
      const until = Date.now() + PARTS_MS;
      const sheet = place.current?.parentElement;
      do await new Promise((resolve) => requestAnimationFrame(resolve));
      while (!isGone && Date.now() < until && sheet?.querySelector('[role="status"]'));
      // A logo that doesn't load is left out.
      await Promise.allSettled([...(sheet?.querySelectorAll('img') ?? [])].map((image) => image.decode()));
      requestAnimationFrame(() => isGone || print());
    };
    void whenDrawn();
    return () => {
      isGone = true;
      removeEventListener('afterprint', onEnd);
    };
  }, []);
  return <span ref={place} hidden />;
}
