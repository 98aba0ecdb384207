import { encode } from 'uqr';

/** Light modules around the code, without which readers do not find it. */
const MARGIN = 2;

/** The side of the code in modules, and the path of its dark ones. */
export function qrCode(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: MARGIN });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { size, path };
}
