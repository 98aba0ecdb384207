import { CHAINS } from './forgeries-of-chains.ts';
import { CONTENTS } from './forgeries-of-contents.ts';
import { KEYS } from './forgeries-of-keys.ts';
import { LOGS } from './forgeries-of-logs.ts';
import { NOTES } from './forgeries-of-notes.ts';
import { SIGNATURES } from './forgeries-of-signatures.ts';
import { TIMES } from './forgeries-of-times.ts';
import type { Forged } from './made.ts';

/** Files that each verifier must refuse for the same reason. */
export const FORGERIES: Record<string, Forged> = { ...CONTENTS, ...LOGS, ...NOTES, ...SIGNATURES, ...KEYS, ...CHAINS, ...TIMES };
