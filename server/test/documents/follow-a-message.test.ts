import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LED_THROUGH, pathOfSend, type SendPath } from '../../path/run.ts';
import { CHECKOUT } from '../support/process.ts';

const DOCUMENT = path.join(CHECKOUT, 'docs/follow-a-message.md');
const LED_THROUGH_MAX = 25;
const FILES_MAX = 55;

const page = readFileSync(DOCUMENT, 'utf8');
const links = [...page.matchAll(/\[`([\w.]+)`\]\(([^)]+)\)/g)].map(([, name = '', target = '']) => ({
  name,
  file: path.relative(CHECKOUT, path.resolve(path.dirname(DOCUMENT), target)),
}));

test('each link leads to a file that has what the link names', () => {
  expect(links.length).toBeGreaterThan(20);
  for (const { name, file } of links) {
    expect(existsSync(path.join(CHECKOUT, file)), file).toBe(true);
    expect(readFileSync(path.join(CHECKOUT, file), 'utf8'), `${file}: ${name}`).toMatch(new RegExp(`\\b${name.split('.').at(-1)}\\b`));
  }
});

describe('the path of a send', () => {
  let send: SendPath;
  beforeAll(async () => {
    send = await pathOfSend();
  });

  test(`runs through no more than ${FILES_MAX} files, and the page says through how many`, () => {
    const ledThrough = send.files.filter(({ file }) => IS_LED_THROUGH.test(file));
    expect(send.files.length, send.files.map(({ file }) => file).join('\n')).toBeLessThanOrEqual(FILES_MAX);
    expect(ledThrough.length).toBeLessThanOrEqual(LED_THROUGH_MAX);
    expect(page).toContain(`${send.files.length} files`);
    expect(page).toContain(`${ledThrough.length} of them`);
    expect(page).toContain(`${send.sqlFunctions.length} SQL functions`);
  });

  test('is led through on the page, but for contract and platform', () => {
    const run = send.files.map(({ file }) => file).filter((file) => IS_LED_THROUGH.test(file));
    expect(run).toContain('server/src/modules/messages/send-message.ts');
    const linked = new Set(links.map(({ file }) => file));
    expect(run.filter((file) => !linked.has(file))).toEqual([]);
  });

  test('calls the SQL functions that the page names, and no others', () => {
    const named = links.filter(({ file }) => file.endsWith('.sql')).map(({ name }) => name);
    expect(named.toSorted()).toEqual(send.sqlFunctions.toSorted());
  });
});
