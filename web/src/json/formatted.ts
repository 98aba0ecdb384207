const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const CLOSING: Record<string, string> = { '{': '}', '[': ']' };

/** JSON with a line for each value. Only whitespace changes, so numbers and strings stay as written. */
export function formatted(json: string): string {
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
