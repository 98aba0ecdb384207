import type { Party } from '../../api/schema.ts';

interface Sent {
  id: string;
  from: { party: Party };
}

/** Of the messages of a thread: the first of its sender, or the first since the sender goes by another name. */
export type SenderNews = 'first' | 'renamed';

/** When a sender without a verified domain deserves a second look: not at each of its messages. */
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
