import { expect, test } from 'vitest';
import { imageTypeOf, isPdf, previewKindOf, rowsOf } from '../../src/pages/messages/preview-kind.ts';

const file = (filename: string, content_type = 'application/octet-stream', size_bytes = 100) =>
  previewKindOf({ id: '', filename, content_type, size_bytes, sha256: null, download_url: '' } as Parameters<typeof previewKindOf>[0]);

test('files have a preview by their name or type, if they are small', () => {
  expect([
    file('a.png'),
    file('a.JPG'),
    file('a', 'image/webp'),
    file('a.csv'),
    file('a.txt'),
    file('a', 'text/plain; charset=utf-8'),
    file('a.PDF'),
    file('a', 'application/pdf'),
  ]).toEqual(['image', 'image', 'image', 'table', 'text', 'text', 'pdf', 'pdf']);
  expect([file('a.svg', 'image/svg+xml'), file('a.html', 'text/html'), file('a.exe')]).toEqual(Array(3).fill(undefined));
  expect([file('a.png', 'image/png', 100e6), file('a.txt', 'text/plain', 0)]).toEqual([undefined, undefined]);
});

test('an image is what its bytes say', () => {
  const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  expect(imageTypeOf(bytes('\x89PNG\r\n\x1a\n'))).toBe('image/png');
  expect(imageTypeOf(bytes('\xff\xd8\xff\xe0'))).toBe('image/jpeg');
  expect(imageTypeOf(bytes('GIF89a'))).toBe('image/gif');
  expect(imageTypeOf(bytes('RIFF\0\0\0\0WEBP'))).toBe('image/webp');
  expect([imageTypeOf(bytes('<svg onload=alert(1)>')), imageTypeOf(bytes('<html>')), imageTypeOf(bytes(''))]).toEqual(
    Array(3).fill(undefined),
  );
});

test('a PDF begins as one', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect([bytes('%PDF-1.7'), bytes(`${' '.repeat(900)}%PDF-2.0`)].map(isPdf)).toEqual([true, true]);
  expect([bytes(''), bytes('%PDF'), bytes('<html>'), bytes(`${' '.repeat(2_000)}%PDF-1.7`)].map(isPdf)).toEqual(Array(4).fill(false));
});

test('rows are read with quotes, whatever separates the cells', () => {
  expect(rowsOf('a,b\r\n"1,5","say ""hi"""\r\n')).toEqual([
    ['a', 'b'],
    ['1,5', 'say "hi"'],
  ]);
  expect(rowsOf('a;b\n1,5;2')).toEqual([
    ['a', 'b'],
    ['1,5', '2'],
  ]);
  expect(rowsOf('a\tb\n"x\ny"\t2')).toEqual([
    ['a', 'b'],
    ['x\ny', '2'],
  ]);
  expect(rowsOf(Array(5_000).fill('x').join('\n'))).toHaveLength(200);
});
