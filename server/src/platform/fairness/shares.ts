export interface Holder {
  name: string;
  max: number;
}

/** Thrown when a holder wants too much. Without a holder, too little is left for everybody. */
export class NoneLeft extends Error {
  readonly holder: Holder | undefined;

  constructor(holder: Holder | undefined) {
    super(holder ? `${holder.name} holds as much as it may` : 'too little is left');
    this.holder = holder;
  }
}

interface SharesOptions {
  total: number;
  keptBack: number;
  little: number;
}

/**
 * A limited resource of a process, such as slots or bytes. Nobody can take all of it: each holder has a maximum, and a reserve is left for holders of
 * little.
 */
export class Shares {
  readonly #options: SharesOptions;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes the amount for all these holders. The returned function gives it back, once. */
  take(holders: readonly Holder[], amount = 1): () => void {
    for (const holder of holders) {
      const held = this.#held.get(holder.name) ?? 0;
      if (held > 0 && held + amount > holder.max) throw new NoneLeft(holder);
    }
    const { total, keptBack, little } = this.#options;
    const holdLittle = holders.every(({ name }) => (this.#held.get(name) ?? 0) + amount <= little);
    if (this.#taken + amount > (holdLittle ? total : total - keptBack)) throw new NoneLeft(undefined);
    const names = holders.map(({ name }) => name);
    this.#count(names, amount);
    let isHeld = true;
    return () => {
      if (isHeld) this.#count(names, -amount);
      isHeld = false;
    };
  }

  give(names: readonly string[], amount: number): void {
    this.#count(names, -amount);
  }

  #count(names: readonly string[], amount: number): void {
    this.#taken += amount;
    for (const name of names) {
      const held = (this.#held.get(name) ?? 0) + amount;
      if (held > 0) this.#held.set(name, held);
      else this.#held.delete(name);
    }
  }
}
