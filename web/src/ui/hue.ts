/** Colours for things without an order. Written out, so that the style sheet has them. */
const HUES = [
  'bg-hue-0-tint text-hue-0',
  'bg-hue-1-tint text-hue-1',
  'bg-hue-2-tint text-hue-2',
  'bg-hue-3-tint text-hue-3',
  'bg-hue-4-tint text-hue-4',
  'bg-hue-5-tint text-hue-5',
  'bg-hue-6-tint text-hue-6',
  'bg-hue-7-tint text-hue-7',
] as const;

/** The same text always has the same colour. */
export function hueOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return HUES[hash % HUES.length] ?? HUES[0];
}
