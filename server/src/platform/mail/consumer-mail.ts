import { domainToASCII } from 'node:url';
import providers from 'email-providers/all.json' with { type: 'json' };
import { getDomain } from 'tldts';

/** Mail domains that give a mailbox to anybody: a mailbox there belongs to a person, not to an organisation. */
export class ConsumerMail {
  readonly #domains: ReadonlySet<string>;

  constructor(added: readonly string[]) {
    this.#domains = new Set([...providers.map(domainToASCII), ...added]);
  }

  /**
   * Whether the domain gives mailboxes to anybody, or is below one that does. Suffixes such as com.ar, below which organisations have
   * domains, don't count.
   */
  gives(domain: string): boolean {
    const labels = domain.split('.');
    const namesAbove = labels.map((_, i) => labels.slice(i).join('.')).slice(1);
    return this.#domains.has(domain) || namesAbove.some((name) => this.#domains.has(name) && !isPublicSuffix(name));
  }
}

function isPublicSuffix(name: string): boolean {
  return getDomain(name, { allowPrivateDomains: true }) === null;
}
