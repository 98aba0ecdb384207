import providers from 'email-providers/all.json' with { type: 'json' };

/** Mail domains that give a mailbox to anybody, so that a mailbox there speaks for nobody but itself. */
export class ConsumerMail {
  readonly #domains: ReadonlySet<string>;

  constructor(added: readonly string[]) {
    this.#domains = new Set([...providers, ...added]);
  }

  /** Such a domain, or one below it. */
  gives(domain: string): boolean {
    const labels = domain.split('.');
    return labels.some((_, i) => this.#domains.has(labels.slice(i).join('.')));
  }
}
