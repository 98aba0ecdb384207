export interface Listening {
  status: number;
  headers: Headers;
  text(): string;
  events(): { inbox: boolean; outbox: boolean }[];
  comments(): string[];
  isOver(): boolean;
  /** Resolves when the service has ended the stream in order. */
  ended: Promise<void>;
  leave(): void;
}

export async function listen(url: string, headers: Record<string, string>): Promise<Listening> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/events`, { headers, signal: leaving.signal });
  let text = '';
  let isOver = false;
  const ended = collect();
  // A client that disconnects does not wait for the rest.
  ended.catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events: () => [...text.matchAll(/^event: messages\ndata: (.+)\n\n/gm)].map(([, data]) => JSON.parse(data as string)),
    comments: () => text.match(/^:.*$/gm) ?? [],
    isOver: () => isOver,
    ended,
    leave: () => leaving.abort(),
  };

  async function collect(): Promise<void> {
    if (!response.body) throw new Error('a response without a body');
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) text += part;
    isOver = true;
  }
}
