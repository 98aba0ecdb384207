import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import type { TestBusiness } from '../support/service.ts';
import { type Downloaded, download, upload } from '../support/transfer.ts';

interface Disposition {
  kind: string;
  /** The name for clients that know only the old form. */
  plain: string;
  /** The name in the form of RFC 8187, decoded. */
  extended: string;
}

/** Follows the grammars of RFC 6266 and RFC 8187, and throws at anything else. */
function readDisposition(header: string): Disposition {
  const value = '(?:%[0-9A-F]{2}|[A-Za-z0-9!#$&+.^_`|~-])*';
  const match = new RegExp(
    `^([a-z]+); filename="((?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*)"; filename\\*=UTF-8''(${value})$`,
  ).exec(header);
  if (!match) throw new Error(`not well formed: ${header}`);
  const [, kind = '', plain = '', extended = ''] = match;
  return { kind, plain, extended: decodeURIComponent(extended) };
}

interface SentFile {
  id: string;
  filename: string;
  content_type: string;
  download_url: string;
}

describe.each(places)('with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  async function sent(fields: { filename?: string; content_type?: string }, content = 'hello'): Promise<SentFile> {
    const { status, text, body } = await acme.api.send({ to: 'globex', files: [await upload(acme.api, content, fields)] });
    expect(status, text).toBe(201);
    return body.files[0];
  }

  async function downloaded(fields: { filename?: string; content_type?: string }, content = 'hello'): Promise<Downloaded> {
    const got = await download((await sent(fields, content)).download_url);
    expect([got.status, got.bytes.toString()]).toEqual([200, content]);
    return got;
  }

  async function dispositionOf(filename: string): Promise<Disposition> {
    const { headers } = await downloaded({ filename });
    return readDisposition(headers.get('content-disposition') as string);
  }

  describe('a file is offered for saving', () => {
    test.each([
      ['a plain name', 'report.pdf', 'report.pdf', 'report.pdf'],
      ['spaces', 'my report (final).pdf', 'my report (final).pdf', 'my report (final).pdf'],
      ['letters beyond ASCII', 'Ünïté 報告.pdf', '_n_t_ __.pdf', 'Ünïté 報告.pdf'],
      ['emoji', '🧾 invoice 🎉.pdf', '_ invoice _.pdf', '🧾 invoice 🎉.pdf'],
      ['quotes', 'a "quoted" name.pdf', 'a _quoted_ name.pdf', 'a "quoted" name.pdf'],
      ['quotes that would end the header', '"; filename="evil.exe', '_; filename=_evil.exe', '"; filename="evil.exe'],
      ['percent signs', '100%41.pdf', '100_41.pdf', '100%41.pdf'],
      ['what RFC 8187 uses itself', "UTF-8''x*;.pdf", "UTF-8''x*;.pdf", "UTF-8''x*;.pdf"],
      ['a leading dot', '.bashrc', '.bashrc', '.bashrc'],
    ])('with %s', async (_name, filename, plain, extended) => {
      expect(await dispositionOf(filename)).toEqual({ kind: 'attachment', plain, extended });
    });

    test.each([
      ['a way up', '../../etc/passwd', 'passwd'],
      ['a way up on Windows', '..\\..\\boot.ini', 'boot.ini'],
      ['a path', '/etc/shadow', 'shadow'],
      ['a drive', 'C:\\Windows\\system.ini', 'system.ini'],
      ['a line break and a header', 'a.txt\r\nSet-Cookie: x=1', 'a.txt__Set-Cookie: x=1'],
      ['a line feed', 'a\nb.txt', 'a_b.txt'],
      ['a tab and an escape', 'a\tb\u001bc.txt', 'a_b_c.txt'],
      ['DEL and C1', 'a\u007fb\u0085c.txt', 'a_b_c.txt'],
      ['a mark that turns the text around', 'invoice\u202efdp.exe', 'invoice_fdp.exe'],
      ['marks that isolate', 'a\u2066b\u2069c.txt', 'a_b_c.txt'],
      ['left-to-right and right-to-left marks', '\u200ea\u200fb.txt', '_a_b.txt'],
      ['what nobody sees', 'a\u200bb\ufeffc.txt', 'a_b_c.txt'],
      ['separators of lines and paragraphs', 'a\u2028b\u2029c.txt', 'a_b_c.txt'],
      ['spaces around', '  a.txt  ', 'a.txt'],
    ])('without %s', async (_name, filename, offered) => {
      expect(await dispositionOf(filename)).toEqual({ kind: 'attachment', plain: offered, extended: offered });
    });

    test.each(['', '.', '..', '...', ' ', '/', 'folder/', '..\\', '\\', 'a/..'])(
      'under a name of our own when it has none: %j',
      async (filename) => {
        expect(await dispositionOf(filename)).toEqual({ kind: 'attachment', plain: 'file', extended: 'file' });
      },
    );

    test.each([
      ['4 KB in ASCII', `${'x'.repeat(4_092)}.pdf`],
      ['4,096 emoji', `${'😀'.repeat(4_092)}.pdf`],
      ['4,096 characters of three bytes', `${'報'.repeat(4_092)}.pdf`],
      ['4,096 percent signs', `${'%'.repeat(4_092)}.pdf`],
    ])('under a shorter name with the same ending when it has %s', async (_name, filename) => {
      const { plain, extended } = await dispositionOf(filename);
      for (const name of [plain, extended]) {
        expect(name).toMatch(/\.pdf$/);
        expect([...name].length).toBeLessThanOrEqual(255);
      }
      expect(filename.startsWith(extended.slice(0, -4))).toBe(true);
    });

    test('under a shorter name without an ending when that is too long itself', async () => {
      const { extended } = await dispositionOf(`a.${'x'.repeat(4_000)}`);
      expect(`a.${'x'.repeat(4_000)}`.startsWith(extended)).toBe(true);
    });
  });

  describe('a name', () => {
    const hostile: [string, string][] = [
      ['nothing at all', ''],
      ['a path', '../../etc/passwd'],
      ['a line break', 'a\r\nb'],
      ['a mark that turns the text around', '\u202egnp.exe'],
      ['quotes and a backslash', '"\\\''],
      ['4,096 emoji', '😀'.repeat(4_096)],
      ['markup', '<script>alert(1)</script>'],
      ['the last of all characters', '\u{10ffff}'],
    ];

    test.each(hostile)('of %s stands in the envelope as it was given, and is no name in the store', async (_name, filename) => {
      const { filename: told } = await sent({ filename });
      expect(told).toBe(filename);
      for (const name of await service.kept()) expect(name).toMatch(/^(objects|uploads)\/[0-9a-f-]{36}$/);
    });

    test.each(hostile)('of %s never makes a URL too long or unsafe to follow', async (_name, filename) => {
      const { id, download_url } = await sent({ filename });
      const response = await acme.api.get(`/files/${id}`);
      expect(response.status).toBe(302);
      for (const url of [download_url, response.headers.get('location')] as string[]) {
        expect(url.length).toBeLessThan(8_000);
        expect(url).toMatch(/^[!-~]+$/);
      }
    });
  });

  describe('a content type', () => {
    test.each(['application/pdf', 'image/png', 'text/plain', 'text/plain; charset=utf-8', 'text/csv', 'application/json', 'video/mp4'])(
      'is told when it is harmless: %s',
      async (content_type) => {
        expect((await downloaded({ content_type })).headers.get('content-type')).toBe(content_type);
      },
    );

    test.each([
      'text/html',
      'TEXT/HTML',
      'text/html; charset=utf-8',
      'text/html;charset=utf-7',
      'application/xhtml+xml',
      'image/svg+xml',
      'image/SVG+xml; charset=utf-8',
      'text/xml',
      'application/xml',
      'application/rss+xml',
      'application/mathml+xml',
      'text/xsl',
      'text/javascript',
      'application/javascript',
      'multipart/x-mixed-replace; boundary=x',
    ])('that a browser would run is not told to it: %s', async (content_type) => {
      const markup = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';
      const { headers } = await downloaded({ content_type, filename: 'page.html' }, markup);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(readDisposition(headers.get('content-disposition') as string).kind).toBe('attachment');
    });

    test('is told to the parties as the sender gave it, even so', async () => {
      expect((await sent({ content_type: 'text/html' })).content_type).toBe('text/html');
    });
  });
});
