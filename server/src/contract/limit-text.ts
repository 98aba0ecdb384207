import { GB, MB } from './limits.ts';

/** Formats a limit for people, in the unit at the end of its name. */
export function limitText(name: string, value: number): string {
  if (name.endsWith('_BYTES') || name.endsWith('_BYTES_PER_S')) return bytes(value);
  if (name.endsWith('_MB')) return bytes(value * MB);
  if (name.endsWith('_MS')) return duration(value / 1000);
  if (name.endsWith('_S')) return duration(value);
  return value.toLocaleString('en-US');
}

function bytes(value: number): string {
  const units: [number, string][] = [
    [GB, 'GB'],
    [MB, 'MB'],
    [1024, 'KB'],
  ];
  const [size, unit] = units.find(([size]) => value >= size && (value * 4) % size === 0) ?? [1, value === 1 ? 'byte' : 'bytes'];
  return `${(value / size).toLocaleString('en-US')} ${unit}`;
}

function duration(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  const [size, unit] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`;
}
