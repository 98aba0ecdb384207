import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SchemaChecker, type SchemaIssue, VALIDATION_MAX_MS } from '../../src/platform/json/schema-checker/checker.ts';
import { exponential, UNSTOPPABLE, UNSTOPPABLE_TEXT } from '../support/hostile-schemas.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const TOO_LATE = { path: '', message: 'could not be checked within 500 ms', keyword: 'timeout' };

describe('a validation takes 500 ms at most', () => {
  let checker: SchemaChecker;

  beforeEach(() => {
    checker = new SchemaChecker();
  });
  afterEach(() => checker.stop());

  const judge = (party: string, schema: object, json: string, load = async () => JSON.stringify(schema)) =>
    checker.issuesOf({ party, version: '1', load }, Buffer.from(json));

  /** Compares with a timer on the same event loop, which is as late as the checker's own on a busy machine. */
  async function inTime(validations: Promise<SchemaIssue[] | undefined>[]): Promise<(SchemaIssue[] | undefined)[]> {
    const isOver = sleep(VALIDATION_MAX_MS + 20).then(() => 'over');
    const responses = Promise.all(validations);
    expect(await Promise.race([isOver, responses]), 'the time of a plain timer').not.toBe('over');
    return responses;
  }

  test('from the moment it is asked for, though no worker has been started yet', async () => {
    expect(await inTime([judge('hostile', exponential(40), '1')])).toEqual([[TOO_LATE]]);
  });

  test('though the schema does not arrive', async () => {
    await checker.warm();
    expect(await inTime([judge('unlucky', {}, '1', () => new Promise(() => {}))])).toEqual([[TOO_LATE]]);
  });

  test('of one that stops by itself, and of one that does not', async () => {
    await checker.warm();
    expect(await inTime([judge('hostile', exponential(40), '1')])).toEqual([[TOO_LATE]]);
    expect(await inTime([judge('unstoppable', UNSTOPPABLE, UNSTOPPABLE_TEXT)])).toEqual([[TOO_LATE]]);
  });

  test('with the time that it waits for others', async () => {
    await checker.warm();
    const hostile = Array.from({ length: 60 }, (_, i) => judge(`party-${i % 20}`, exponential(40), '1'));
    expect(await inTime(hostile)).toEqual(hostile.map(() => [TOO_LATE]));
  });
});

describe('over HTTP', () => {
  let service: TestService;
  let sender: TestBusiness;
  let reader: TestBusiness;

  beforeAll(async () => {
    service = await startTestService();
    sender = await service.business('sender');
    reader = await service.business('reader');
  });
  afterAll(() => service.stop());

  test('a service that starts when there are schemas has workers ready for the first message', async () => {
    expect((await reader.api.write('PUT', '/inbox/schema', { schema: { type: 'string' } })).status).toBe(200);
    const sibling = await service.sibling();
    try {
      const { body } = await sender.api.at(sibling.url).send({ to: 'reader', json: 'text' });
      expect(body.validation).toEqual({ status: 'passed', errors: [] });
    } finally {
      await sibling.stop();
    }
  });

  test('a hostile message is delivered half a second later than one without a check', async () => {
    const hostile = await service.business('hostile');
    const timed = async (to: string) => {
      const startedAt = performance.now();
      expect((await sender.api.send({ to, json: 1 })).status).toBe(201);
      return performance.now() - startedAt;
    };
    await service.business('plain');
    expect((await hostile.api.write('PUT', '/inbox/schema', { schema: exponential(40) })).status).toBe(200);
    const more: number[] = [];
    for (let i = 0; i < 7; i++) {
      const plain = await timed('plain');
      more.push((await timed('hostile')) - plain);
    }
    const [best = 0] = more.sort((a, b) => a - b);
    expect(best).toBeGreaterThan(VALIDATION_MAX_MS - 150);
    expect(best).toBeLessThan(VALIDATION_MAX_MS + 50);
  });
});
