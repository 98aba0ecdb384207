const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** What is empty stays on its line. */
const CLOSING: Record<string, string> = { '{': '}', '[': ']' };

/** JSON with a line for each value. Only the space between its parts changes, so no number or text does. */
export function indented(json: string): string {
  const tokens = json.match(TOKEN) ?? [];
  const parts: string[] = [];
  let level = 0;
  const newLine = () => parts.push('\n', '  '.repeat(level));
  tokens.forEach((token, at) => {
    const isEmptied = CLOSING[tokens[at - 1] ?? ''] === token;
    if ((token === '}' || token === ']') && !isEmptied) {
      level--;
      newLine();
    }
    parts.push(token);
    if (token === ':') parts.push(' ');
    else if (token === ',') newLine();
    else if (CLOSING[token] !== undefined && tokens[at + 1] !== CLOSING[token]) {
      level++;
      newLine();
    }
  });
  return parts.join('');
}
