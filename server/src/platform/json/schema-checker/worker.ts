import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { canonicalForm, hashesOf } from '../canonical-bytes.ts';
import { Budget, OutOfTime } from '../schema/budget.ts';
import { checkSchema, compileSchema, type Validator } from '../schema/compile.ts';
import { InvalidSchema } from '../schema/documents.ts';
import { isFuller } from './heap.ts';
import type { Question, Reply, Said, Task } from './protocol.ts';

const REMEMBERED_MAX = 200;
const REMEMBERED_MAX_CHARS = 8 * 1_048_576;
/** Schemas are forgotten above this heap size. Running one takes more memory than compiling it, because expressions cache their states. */
const REMEMBERED_MAX_HEAP_BYTES = 48 * 1_048_576;
/** The minimum time for compiling an unknown schema, in addition to its validation. Usually milliseconds suffice. */
const COMPILE_MIN_MS = 100;
/** After this time, other parties get their turn. */
const TURN_MS = 50;

const remembered = new Map<string, { validator: Validator; chars: number }>();
let rememberedChars = 0;
const decoder = new TextDecoder();

function forgetOldest(): void {
  const [oldest] = remembered;
  if (!oldest) return;
  remembered.delete(oldest[0]);
  rememberedChars -= oldest[1].chars;
}

function validatorFor({ kind, key, text }: Question, budgetMs: number): Validator | undefined {
  const known = remembered.get(key);
  if (known) {
    remembered.delete(key);
    remembered.set(key, known);
    return known.validator;
  }
  if (text === undefined) return undefined;
  const validator = compileSchema(JSON.parse(text), new Budget(Math.max(COMPILE_MIN_MS, budgetMs)));
  if (kind === 'validate once') return validator;
  while (remembered.size >= REMEMBERED_MAX || (remembered.size > 0 && rememberedChars + text.length > REMEMBERED_MAX_CHARS)) forgetOldest();
  remembered.set(key, { validator, chars: text.length });
  rememberedChars += text.length;
  return validator;
}

function refusal(reason: string, faults = [{ path: '', message: reason }]): Reply {
  return { kind: 'refused', refusal: { reason, faults } };
}

function tryCompile({ text }: Question, { budgetMs }: Task): Reply {
  try {
    checkSchema(JSON.parse(text ?? ''), new Budget(budgetMs));
    return { kind: 'compiled' };
  } catch (error) {
    if (error instanceof InvalidSchema) return refusal(error.message, error.faults);
    if (error instanceof OutOfTime) return { kind: 'out of time' };
    if (error instanceof RangeError) return refusal('it is nested too deeply');
    throw error;
  }
}

function validate(question: Question, { json, budgetMs }: Task): Reply {
  const unchecked = (keyword: string, message: string): Reply => ({ kind: 'checked', issues: [{ path: '', message, keyword }], usedMs: 0 });
  try {
    const validator = validatorFor(question, budgetMs);
    if (!validator) return { kind: 'unknown' };
    const budget = new Budget(budgetMs);
    const value: unknown = JSON.parse(decoder.decode(json));
    budget.check();
    const issues = validator.issuesOf(value, budget);
    return { kind: 'checked', issues, usedMs: budget.usedMs() };
  } catch (error) {
    if (error instanceof OutOfTime) return { kind: 'out of time' };
    if (error instanceof InvalidSchema) return unchecked('$schema', `could not be checked: ${error.message}`);
    if (error instanceof RangeError) return unchecked('$ref', 'could not be checked: the schema goes too deep, or has no end');
    throw error;
  }
}

function repliesTo(question: Question): Reply[] {
  // The memory that earlier schemas hold must not count against this one.
  if (isFuller(REMEMBERED_MAX_HEAP_BYTES)) while (remembered.size > 0) forgetOldest();
  const turn = new Budget(TURN_MS);
  return question.tasks.map((task, i): Reply => {
    if (i > 0 && turn.usedMs() > TURN_MS) return { kind: 'not begun' };
    if (question.kind === 'hash') return { kind: 'hashed', ...hashesOf(task.json) };
    if (question.kind === 'canonical') return { kind: 'canonical', json: canonicalForm(task.json) };
    return question.kind === 'compile' ? tryCompile(question, task) : validate(question, task);
  });
}

// On Linux this sets the priority of the thread, not of the process.
os.setPriority(0, (workerData as { niceness: number }).niceness);
function say(replies: Said['replies']): void {
  const { user, system } = process.threadCpuUsage();
  parentPort?.postMessage({ replies, cpuMs: (user + system) / 1_000 } satisfies Said);
}
parentPort?.on('message', (question: Question) => say(repliesTo(question)));
say(undefined);
