import { appendFileSync } from 'node:fs';

/** The variable with the file in which a run records its temporary folders, for warden.ts. Unset if run.ts has not started the tests. */
export const FOLDERS_SETTING = 'WAYBILL_TEST_FOLDERS';

export function noteFolder(folder: string): void {
  const file = process.env[FOLDERS_SETTING];
  if (file !== undefined) appendFileSync(file, `${folder}\n`);
}
