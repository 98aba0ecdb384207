import { expect, test } from 'vitest';
import { fileType } from '../../src/ui/file-type.ts';

test.each([
  ['prices.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel'],
  ['prices', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel'],
  ['offer.DOCX', 'application/octet-stream', 'Word'],
  ['plan.pdf', 'application/pdf', 'PDF'],
  ['lines.csv', 'text/plain', 'CSV'],
  ['photo', 'image/heic', 'Image'],
  ['invoice', 'application/vnd.oasis.ubl+xml', 'XML'],
  ['notes', 'text/markdown; charset=utf-8', 'Text'],
  ['blob', 'application/octet-stream', 'File'],
])('%s of type %s is called %s', (filename, contentType, name) => {
  expect(fileType(filename, contentType)).toBe(name);
});
