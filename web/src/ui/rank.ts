interface Ranked {
  text: string;
  hint?: string | undefined;
  group?: string | undefined;
}

/** How well a text fits the typed words: 0 exactly, 1 from its start, 2 from the start of a word, 3 inside, 4 not at all. */
function distanceOf(text: string, words: string): number {
  const [whole, typed] = [text.toLowerCase().replace(/^@/, ''), words.toLowerCase().replace(/^@/, '')];
  if (whole === typed) return 0;
  if (whole.startsWith(typed)) return 1;
  if (!whole.includes(typed)) return 4;
  return whole.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(typed)) ? 2 : 3;
}

interface Fit<Option> {
  option: Option;
  distance: number;
}

const byFit = (a: Fit<Ranked>, b: Fit<Ranked>): number =>
  a.distance - b.distance || (a.distance === 1 ? a.option.text.length - b.option.text.length : 0);

/** The best group first, and in each the best option; of texts that start alike, the shorter. Otherwise they keep their order. */
export function rank<Option extends Ranked>(options: readonly Option[], words: string): Option[] {
  if (words === '') return [...options];
  const found = options.map(
    (option): Fit<Option> => ({
      option,
      distance: Math.min(distanceOf(option.text, words), distanceOf(option.hint ?? '', words)),
    }),
  );
  const groups = [...Map.groupBy(found, ({ option }) => option.group).values()];
  const best = (group: Fit<Option>[]) => Math.min(...group.map(({ distance }) => distance));
  return groups.toSorted((a, b) => best(a) - best(b)).flatMap((group) => group.toSorted(byFit).map(({ option }) => option));
}
