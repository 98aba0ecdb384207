import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cosignatureVerifier, openNote, parseCheckpoint, parseVkey } from '@waybill/proof';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, until } from '../support/process.ts';
import { SmallLog } from '../support/small-log.ts';
import { addCheckpoint, startWitness } from '../support/witnesses.ts';

const KILLS = 100;
const NAME = 'witness.example/w1';

describe('a witness that is killed', () => {
  test(`at any moment, ${KILLS} times, has never cosigned two histories and has lost nothing that it gave out`, async () => {
    const folder = temporaryFolder();
    const log = new SmallLog('log.example/log').add(3_000);
    const hash = createHash('sha256').update(log.origin).digest('hex');
    let newest = 0;
    let cosignatures = 0;
    let unknown = 0;
    for (let round = 0; round < KILLS; round++) {
      const witness = await startWitness({ folder, name: NAME, logs: [log.vkey] });
      const key = cosignatureVerifier(parseVkey(witness.vkey));
      const response = await fetch(`${witness.url}/${hash}/checkpoint`);
      const recorded = response.status === 404 ? 0 : parseCheckpoint(await response.text()).size;
      // A checkpoint that was recorded but not returned, because the process was killed in between, is newer.
      expect(recorded).toBeGreaterThanOrEqual(newest);
      if (recorded > newest) unknown++;
      // A history that the log could have made from an older backup. It must be refused at every size.
      const other = log.fork(Math.max(0, recorded - 1)).add(20, `other ${round}`);
      if (recorded > 0) expect((await addCheckpoint(witness.url, await other.request(recorded))).status).toBe(422);
      newest = recorded;
      const submitting = (async () => {
        for (;;) {
          const size = newest + 1 + (newest % 3);
          const { status, text } = await addCheckpoint(witness.url, await log.request(newest, size));
          expect(status).toBe(200);
          await openNote((await log.checkpoint(size)) + text, [key]);
          newest = size;
          cosignatures++;
        }
      })().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error;
      });
      // Kills the witness after none, one or two cosignatures, and some time into the next.
      const wanted = cosignatures + (round % 3);
      await Promise.race([submitting, until(() => cosignatures >= wanted)]);
      await sleep((round * 7) % 60);
      await witness.stop('SIGKILL');
      await submitting;
    }
    console.log(`${cosignatures} cosignatures, ${KILLS} kills, ${unknown} after the record and before the response`);
    expect(cosignatures).toBeGreaterThanOrEqual(KILLS - 1);
  });
});

describe('a witness refuses to start', () => {
  const log = new SmallLog('log.example/log').add(4);

  test('while another process has its folder, with another name, and with a part of its folder missing', async () => {
    const folder = temporaryFolder();
    await expect(startWitness({ folder, logs: [log.vkey] })).rejects.toThrow('Give it a name');
    const witness = await startWitness({ folder, name: NAME, logs: [log.vkey] });
    await expect(startWitness({ folder, name: NAME, logs: [log.vkey] })).rejects.toThrow(`Process ${witness.pid} already uses the folder`);
    expect(await witness.stop()).toBe(0);

    await expect(startWitness({ folder, name: 'another.example', logs: [log.vkey] })).rejects.toThrow(`has the name ${NAME}`);
    const again = await startWitness({ folder, logs: [log.vkey] });
    expect(again.vkey).toBe(witness.vkey);
    expect((await addCheckpoint(again.url, await log.request(0))).status).toBe(200);
    await again.stop();

    renameSync(path.join(folder, 'witness.key'), path.join(folder, 'aside'));
    await expect(startWitness({ folder, name: NAME, logs: [log.vkey] })).rejects.toThrow('the witness has no key');
    renameSync(path.join(folder, 'aside'), path.join(folder, 'witness.key'));
    rmSync(path.join(folder, 'checkpoints'), { recursive: true });
    await expect(startWitness({ folder, logs: [log.vkey] })).rejects.toThrow('not what was cosigned with it');
  });

  test('with wrong arguments', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'other'));
    await expect(startWitness({ folder, name: NAME, logs: [] })).rejects.toThrow('exit 2: Name the logs');
    await expect(startWitness({ folder, name: NAME, logs: ['no key'] })).rejects.toThrow('A verifier key is not');
    await expect(startWitness({ folder, name: 'two words', logs: [log.vkey] })).rejects.toThrow('The name of a key');
    await expect(startWitness({ folder, name: NAME, logs: [log.vkey], more: ['--listen', 'nowhere'] })).rejects.toThrow('--listen must be');
    await expect(startWitness({ folder, name: NAME, logs: [log.vkey], more: ['--unknown'] })).rejects.toThrow('Usage:');
  });
});
