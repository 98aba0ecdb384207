import { formatVkey, parseVkey } from '@waybill/proof';
import { pino } from 'pino';
import { CosignedCheckpoints } from '../../src/modules/witness/cosigned-checkpoints.ts';
import { Witness } from '../../src/modules/witness/witness.ts';
import { createWitnessKey, type WitnessKey } from '../../src/modules/witness/witness-key.ts';
import { serveWitness, type WitnessServer } from '../../src/modules/witness/witness-server.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './process.ts';

const log = pino({ level: 'silent' });

/**
 * A witness in this process. Its key and address are known before it starts, because services name them, and it needs the keys of their
 * logs.
 */
export class TestWitness {
  readonly name: string;
  readonly port: number;
  readonly key: WitnessKey;
  readonly #folder: string;
  #server: WitnessServer | undefined;

  private constructor(name: string, port: number, key: WitnessKey, folder: string) {
    this.name = name;
    this.port = port;
    this.key = key;
    this.#folder = folder;
  }

  static async create(name: string): Promise<TestWitness> {
    const folder = temporaryFolder();
    await CosignedCheckpoints.create(folder);
    return new TestWitness(name, await freePort(), await createWitnessKey(folder, `${name}.example`), folder);
  }

  get line(): string {
    return `witness ${this.name} ${formatVkey(this.key.verifier)} http://127.0.0.1:${this.port}`;
  }

  async start(...vkeys: string[]): Promise<void> {
    const cosigned = await CosignedCheckpoints.open(this.#folder, this.key.verifier);
    const witness = new Witness(vkeys.map(parseVkey), cosigned, this.key.signer, log);
    this.#server = await serveWitness(witness, { host: '127.0.0.1', port: this.port, proxies: [] }, log);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }
}
