import { errorOf, WaybillError } from './errors.ts';
import { type Transport, type TryOptions, textIn, unreachable } from './transport.ts';

/** Opens a streamed response. Time counts only while nothing comes, so that it can take hours. Read `chunks` to the end, or break out of the loop. */
export async function openStream(
  transport: Transport,
  url: string,
  init: RequestInit,
  { signal, timeoutMs = transport.timeoutMs }: TryOptions,
): Promise<{ response: Response; chunks: AsyncGenerator<Uint8Array, void> }> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  const silent = () => ending.abort(new WaybillError('timed_out', `Nothing came for ${timeoutMs / 1_000} s.`));
  signal?.addEventListener('abort', end);
  let timer = setTimeout(silent, timeoutMs);
  const close = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  };
  const reasonOf = (error: unknown) => {
    if (signal?.aborted) return signal.reason;
    if (ending.signal.aborted) return ending.signal.reason;
    return error instanceof WaybillError ? error : unreachable(url, error);
  };
  const read = async function* (response: Response): AsyncGenerator<Uint8Array, void> {
    const reader = response.body?.getReader();
    try {
      while (reader) {
        timer = setTimeout(silent, timeoutMs);
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw reasonOf(error);
    } finally {
      close();
      void reader?.cancel().catch(() => undefined);
    }
  };
  try {
    const response = await transport.fetch(url, { ...init, signal: ending.signal });
    if (!response.ok) throw errorOf(response, await textIn(response, ending.signal));
    clearTimeout(timer);
    return { response, chunks: read(response) };
  } catch (error) {
    close();
    throw reasonOf(error);
  }
}
