import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../../src');

/** Former words on pages that have a better known replacement. */
const RETIRED =
  /Mark read or unread|Failed schema|handle or handle\/segment|Those that|To take|Leased|>Holders|"Holders|Parked messages|Nothing has come|How it is doing|Time to answer|Half within|[Bb]egins anew|As the system|Copy the line|No message fits|Sender.s key|receipt is whole|can.t be reached|Continue with a code|is parked|lease lapsed|Schema failed/;

/** The webhook event goes by the name that programs know it by, `schema.failed`. */
const EVENT = "pages/webhooks/events.tsx: { event: 'schema.failed', label: 'Schema failed', ";

test('pages say what people say', () => {
  const lines = globSync('**/*.{ts,tsx}', { cwd: SRC }).flatMap((file) =>
    readFileSync(path.join(SRC, file), 'utf8')
      .split('\n')
      .map((line) => `${file}: ${line.trim()}`),
  );
  // Comments are not shown to users.
  const shown = lines.filter((line) => !/: (\/\*\*|\*|\/\/|\{\/\*)/.test(line) && !line.startsWith(EVENT));
  expect(shown.filter((line) => RETIRED.test(line))).toEqual([]);
});
