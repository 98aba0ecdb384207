/** An internal class of mailauth, declared because its body hash can be replaced. */
declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  import type { Writable } from 'node:stream';
  import type { DKIMResult } from 'mailauth';

  export class DkimVerifier extends Writable {
    constructor(options: {
      sender: string;
      resolver: (name: string, type: string) => Promise<string[][] | string[]>;
      rejectRsaSha1: boolean;
    });
    readonly results: DKIMResult[];
    readonly bodyHashes: Map<string, unknown>;
    addBodyHash(canonical: string, algorithm: string, maxBytes: number | ''): string;
  }
}
