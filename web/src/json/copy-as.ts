/** Programs that send the same JSON again. The JSON stays text, digit for digit, so it is never a literal of the language. */

export interface SentAs {
  to: string;
  type: string | null;
}

export type Language = 'curl' | 'TypeScript' | 'Python';

export function programFor(language: Language, json: string, sentAs: SentAs, origin: string): string {
  const fields = { to: sentAs.to, ...(sentAs.type !== null && { type: sentAs.type }) };
  const body = `${JSON.stringify(fields).slice(0, -1)},"json":${json}}`;
  return PROGRAMS[language](body, `${origin}/v1/messages`);
}

const PROGRAMS: Record<Language, (body: string, url: string) => string> = {
  curl: (body, url) => {
    const end = endOf(body);
    return `curl ${url} \\
  -H "Authorization: Bearer $WAYBILL_KEY" \\
  -H "Content-Type: application/json" \\
  --data-binary @- <<'${end}'
${body}
${end}
`;
  },
  TypeScript: (body, url) => `const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.WAYBILL_KEY}\`, 'content-type': 'application/json' },
  body: ${/`|\$\{/.test(body) || body.endsWith('\\') ? JSON.stringify(body) : `String.raw\`${body}\``},
});
console.log(response.status, await response.json());
`,
  Python: (body, url) => `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    data=${/'''/.test(body) ? JSON.stringify(body) : `r'''${body}'''`}.encode(),
    headers={"Authorization": f"Bearer {os.environ['WAYBILL_KEY']}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))
`,
};

/** An end marker that no line of the here-document equals. */
function endOf(text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'JSON';
  while (lines.has(end)) end += '_';
  return end;
}
