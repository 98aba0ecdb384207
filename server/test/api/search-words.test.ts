import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wordsOf } from '../../src/modules/search/words.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const inSql = async (texts: readonly string[]): Promise<(string | null)[]> =>
  (
    await service.sql<{ words: string | null }>(
      'SELECT search_words(t, 2000) AS words FROM unnest($1::text[]) WITH ORDINALITY AS k (t, n) ORDER BY n',
      [texts],
    )
  ).map(({ words }) => words);
const inService = (text: string) => [...wordsOf(text)].map(({ folded }) => folded).join(' ') || null;

const TEXTS: [text: string, words: string | null][] = [
  ['PO-4814', 'po 4814'],
  ['ann@Acme.com, https://x.test/a?b=1', 'ann acme com https x test a b 1'],
  ['MÜLLER & Söhne, Straße Ærø', 'muller sohne strasse aero'],
  ['e\u0301te\u0301 été', 'ete ete'],
  ['ΣΊΣΥΦΟΣ σίσυφος', 'σισυφοσ σισυφοσ'],
  ['ПРИВЕТ, Ёлка', 'привет елка'],
  ['東京都 ｶﾀ', '東 京 都 カ タ'],
  ['ＰＯ－４８１４', 'po 4814'],
  ['สวัสดี', 'ส ว ั ส ด ี'],
  ['"{}[]… — ·', null],
  ['a\u001fb', 'a\u001fb'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['한'.repeat(70), '한'.repeat(64)],
  // Each is 18 letters when it is decomposed, three of which are spaces.
  ['ﷺ'.repeat(64), 'صلىاللهعليهوسلم'.repeat(14).slice(0, 64)],
];

describe('words of texts', () => {
  test.each(TEXTS)('of %j', async (text, words) => {
    expect(inService(text)).toBe(words);
    expect(await inSql([text])).toEqual([words]);
  });

  test('are the same in documents and in queries, whatever the text', async () => {
    let seed = 7;
    const random = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % max;
    };
    const letter = () => {
      const code = [0x80, 0x250, 0x800, 0x3100, 0xa000, 0x1fb00][random(6)] ?? 0x80;
      const point = 1 + random(code);
      return point >= 0xd800 && point <= 0xdfff ? ' ' : String.fromCodePoint(point);
    };
    const texts = Array.from({ length: 3_000 }, () => Array.from({ length: 1 + random(12) }, letter).join(''));
    const differing = (await inSql(texts)).flatMap((words, i) =>
      words === inService(texts[i] ?? '') ? [] : [[texts[i], words, inService(texts[i] ?? '')]],
    );
    expect(differing).toEqual([]);
  });

  test('of JSON texts have escapes resolved, and hostile ones do no harm', async () => {
    const texts = [
      String.raw`{"a":"Gr\u00fc\u00dfe\nfoo\\nbar \babe \/x\""}`,
      String.raw`"\ud83d\ude00 \ud800 \u0000x \u001f ok`,
      String.raw`"cut \u00`,
      String.raw`"cut \u`,
      '"cut \\',
    ];
    const rows = await service.sql<{ words: string }>(
      'SELECT search_words(json_text(t), 2000) AS words FROM unnest($1::text[]) WITH ORDINALITY AS k (t, n) ORDER BY n',
      [texts],
    );
    const [first, second, ...others] = rows.map(({ words }) => words);
    expect(first).toBe('a grusse foo nbar abe x');
    expect(second).toBe('x ok');
    expect(others).toEqual(['cut u00', 'cut u', 'cut']);
  });
});
