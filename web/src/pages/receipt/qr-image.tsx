import { useMemo } from 'react';
import { qrCode } from './qr.ts';

const MARGIN = 2;

/** Always dark on white, even in the dark theme: readers need it. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const code = useMemo(() => qrCode(text), [text]);
  if (!code) return null;
  const size = code.length + 2 * MARGIN;
  const path = code.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-28 rounded-lg border border-line"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
