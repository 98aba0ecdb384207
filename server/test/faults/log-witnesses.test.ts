import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cosignatureVerifier, noteVerifier, openNote, parseCheckpoint, parseVkey } from '@waybill/proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { CHECKOUT, runProgram, type ServiceProcess, startProcess, temporaryFolder, until } from '../support/process.ts';
import { startWitness, type WitnessProcess } from '../support/witnesses.ts';

/** A Waybill with its own data folder, which can be stopped, copied and restored. */
class Waybill {
  readonly folder = temporaryFolder();
  readonly port: number;
  readonly policy = path.join(temporaryFolder(), 'policy');
  vkey = '';
  #service: ServiceProcess | undefined;
  #secret = '';

  constructor(port: number) {
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(env: Record<string, string> = { WITNESSES: this.policy }): Promise<ServiceProcess> {
    const DATA_DIR = path.join(this.folder, 'data');
    this.#service = await startProcess({ env: { DATA_DIR, PORT: String(this.port), PUBLIC_RATE_LIMIT_PER_MINUTE: '0', ...env } });
    this.#secret ||= this.#service.keys['acme/purchasing'] ?? '';
    const description = (await (await fetch(`${this.url}/.well-known/waybill.json`)).json()) as { log: { vkey: string } };
    this.vkey = description.log.vkey;
    return this.#service;
  }

  output(): string {
    return this.#service?.output() ?? '';
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  copy(from: string, to: string): void {
    rmSync(path.join(this.folder, to), { recursive: true, force: true });
    const { status, stderr } = spawnSync('cp', ['-a', from, to], { cwd: this.folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  async send(count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      const response = await fetch(`${this.url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: 'globex', json: { at, random: Math.random() } }),
      });
      expect(response.status).toBe(201);
    }
  }

  /** Audits the log like a person who has the policy and the state of the last audit. */
  audit(): { status: number | null; stdout: string } {
    const args = ['log', 'audit', this.url, '--policy', this.policy, '--state', path.join(this.folder, 'audit')];
    return spawnSync(process.execPath, [path.join(CHECKOUT, 'packages/cli/src/main.ts'), ...args], { encoding: 'utf8' });
  }

  async status(): Promise<string> {
    const env = { DATA_DIR: path.join(this.folder, 'data'), WITNESSES: this.policy };
    return (await runProgram('cli', { env, args: ['log', 'status'] })).stdout;
  }

  /** The size of the served checkpoint, and how many of the witnesses have cosigned it. */
  async served(witnesses: WitnessProcess[]): Promise<{ size: number; cosigned: number }> {
    const response = await fetch(`${this.url}/log/checkpoint`);
    if (response.status === 404) return { size: 0, cosigned: 0 };
    const note = await response.text();
    const verifiers = [noteVerifier(parseVkey(this.vkey)), ...witnesses.map(({ vkey }) => cosignatureVerifier(parseVkey(vkey)))];
    const { verified } = await openNote(note, verifiers);
    return { size: parseCheckpoint(note).size, cosigned: verified.length - 1 };
  }
}

const FAULT = /Nothing is signed\. The witness \w+ has a checkpoint of \S+ with (\d+) leaves that was signed with this log’s key/;

describe('two Waybills and two witnesses', () => {
  let [one, two] = [] as unknown as [Waybill, Waybill];
  let witnesses: [WitnessProcess, WitnessProcess];
  const witnessFolders = [temporaryFolder(), temporaryFolder()] as const;
  const restart = async (at: 0 | 1) => {
    const { port } = witnesses[at];
    witnesses[at] = await startWitness({ folder: witnessFolders[at], logs: [one.vkey, two.vkey], port });
  };

  beforeAll(async () => {
    [one, two] = [new Waybill(await freePort()), new Waybill(await freePort())];
    // The operators of logs and witnesses exchange their keys.
    for (const waybill of [one, two]) {
      await waybill.start({});
      await waybill.stop();
    }
    const logs = [one.vkey, two.vkey];
    witnesses = [
      await startWitness({ folder: witnessFolders[0], name: 'witness.example/1', logs }),
      await startWitness({ folder: witnessFolders[1], name: 'witness.example/2', logs }),
    ];
    const lines = witnesses.map(({ vkey, url }, at) => `witness w${at} ${vkey} ${url}\n`);
    for (const waybill of [one, two]) {
      writeFileSync(waybill.policy, `${lines.join('')}group all all w0 w1\nquorum all\n`);
      await waybill.start();
    }
    return async () => {
      await Promise.all([one.stop(), two.stop(), ...witnesses.map((witness) => witness.stop())]);
    };
  });

  test('each log is cosigned by both, and an audit finds it right', async () => {
    await Promise.all([one.send(10), two.send(5)]);
    for (const [waybill, size] of [
      [one, 10],
      [two, 5],
    ] as const) {
      await until(async () => (await waybill.served(witnesses)).size >= size && (await waybill.served(witnesses)).cosigned === 2);
      const { status, stdout } = waybill.audit();
      expect([status, stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`/log: ${size} entries, consistent since .*, witnessed by 2 of 2\n`)),
      ]);
    }
  });

  test('the operator is told what each witness has cosigned', async () => {
    expect(await one.status()).toMatch(
      /^Witness +w0 has cosigned 10 leaves, at 20.*Z\nWitness +w1 has cosigned 10 leaves, at 20.*Z\nState +in order/m,
    );
  });

  test('a Waybill that was restored from a backup with all its files signs nothing more, and says why', async () => {
    await one.stop();
    one.copy('data', 'backup');
    await one.start();
    await one.send(4);
    await until(async () => (await one.served(witnesses)).size === 14 && (await one.served(witnesses)).cosigned === 2);
    expect(one.audit().status).toBe(0);
    await one.stop();

    one.copy('backup', 'data');
    await one.start();
    await one.send(2);
    await until(() => FAULT.test(one.output()));
    expect(FAULT.exec(one.output())?.[1]).toBe('14');
    // The service still accepts messages, but publishes nothing.
    await one.send(1);
    expect(await one.served(witnesses)).toEqual({ size: 10, cosigned: 2 });
    expect(await one.status()).toContain('nothing is signed. The witness w');
    // An auditor from before the restore notices it, too.
    const { status, stdout } = one.audit();
    expect([status, stdout]).toEqual([1, expect.stringContaining('it has 10 entries, and had 14 before: it was rolled back')]);
    await one.stop();
  });

  test('even if the witnesses were away when it started: as soon as one is back', async () => {
    for (const witness of witnesses) await witness.stop('SIGKILL');
    one.copy('backup', 'data');
    await one.start();
    await one.send(3);
    // No witness is there to object.
    await until(() => one.output().includes('too few witnesses') || one.output().includes('a witness does not cosign'));
    expect(FAULT.test(one.output())).toBe(false);
    await restart(0);
    await restart(1);
    await until(() => FAULT.test(one.output()));
    const { size } = await one.served(witnesses);
    await one.send(3);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await one.served(witnesses)).size).toBe(size);
    // The other log is not affected.
    await two.send(3);
    await until(async () => (await two.served(witnesses)).size === 8 && (await two.served(witnesses)).cosigned === 2);
  });
});
