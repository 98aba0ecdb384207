/** How often a request has a header; Node drops the repeats of some. The name is in lower case. */
export function timesGiven(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i];
    if (given?.length === name.length && given.toLowerCase() === name) times++;
  }
  return times;
}
