import type { Party } from '../../api/schema.ts';

interface Sent {
  id: string;
  from: { party: Party };
}

/** first: the sender's first message in the thread. renamed: the first since the sender has another name. */
export type SenderNews = 'first' | 'renamed';

/** Senders without a verified domain deserve a second look at these messages, not at each. */
export function senderNews(messages: readonly Sent[]): Map<string, SenderNews> {
  const names = new Map<string, string>();
  const news = new Map<string, SenderNews>();
  for (const { id, from } of messages) {
    const { display_name: name, ...party } = from.party;
    const address = JSON.stringify(party);
    const known = names.get(address);
    if (known === undefined) news.set(id, 'first');
    else if (known !== name) news.set(id, 'renamed');
    names.set(address, name);
  }
  return news;
}
