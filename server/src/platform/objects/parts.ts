/** An upload in upload parts, numbered from 1. All have the same size, except a shorter last one. */
export interface PartedUpload {
  id: string;
  ref: string;
  sizeBytes: number;
  partBytes: number;
}

type Sizes = Pick<PartedUpload, 'sizeBytes' | 'partBytes'>;

/** An empty file has one empty upload part. */
export function partCount({ sizeBytes, partBytes }: Sizes): number {
  return Math.max(1, Math.ceil(sizeBytes / partBytes));
}

export function partNumbers(sizes: Sizes): number[] {
  return Array.from({ length: partCount(sizes) }, (_, i) => i + 1);
}

export function partOffset({ partBytes }: Sizes, number: number): number {
  return (number - 1) * partBytes;
}

export function partSize(sizes: Sizes, number: number): number {
  return Math.min(sizes.partBytes, sizes.sizeBytes - partOffset(sizes, number));
}

export function partsMissing(sizes: Sizes, arrived: readonly number[]): number[] {
  const there = new Set(arrived);
  return partNumbers(sizes).filter((number) => !there.has(number));
}
