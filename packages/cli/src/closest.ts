/** A third of the letters may be wrong, but at least one. */
const WRONG_SHARE = 1 / 3;

export function closest(given: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, wrong: distance(given, word) })).toSorted((a, b) => a.wrong - b.wrong);
  const [best] = ranked;
  return best && best.wrong <= Math.max(1, Math.floor(best.word.length * WRONG_SHARE)) ? best.word : undefined;
}

/** The number of letters to insert, delete, replace, or exchange with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const changed = (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1);
      row[j] = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j] ?? 0, (rows[i - 2]?.[j - 2] ?? 0) + 1);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
