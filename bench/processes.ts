import { readdirSync, readFileSync } from 'node:fs';

const CLOCK_TICKS_PER_S = 100;

interface Process {
  isPostgres: boolean;
  pid: number;
  seconds: number;
}

function family(pid: number): Process[] {
  const found = new Map<number, Process & { parent: number }>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // Its own time, and that of its children that have ended: a connection's process may end meanwhile.
      const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS_PER_S;
      found.set(Number(name), { pid: Number(name), parent: Number(fields[1]), isPostgres: stat.includes('(postgres)'), seconds });
    } catch {}
  }
  const isOf = (one: { pid: number; parent: number } | undefined): boolean =>
    one !== undefined && (one.pid === pid || isOf(found.get(one.parent)));
  return [...found.values()].filter(isOf);
}

export function processorTime(pid: number): { node: number; postgres: number } {
  const sum = (isPostgres: boolean) => family(pid).reduce((total, one) => total + (one.isPostgres === isPostgres ? one.seconds : 0), 0);
  return { node: sum(false), postgres: sum(true) };
}

/** Memory that is shared, such as PostgreSQL's buffers, is counted once. */
export function memoryMb(pid: number): { node: number; postgres: number } {
  const sum = (isPostgres: boolean) =>
    family(pid).reduce((total, one) => total + (one.isPostgres === isPostgres ? proportionalMb(one.pid) : 0), 0);
  return { node: sum(false), postgres: sum(true) };
}

function proportionalMb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
