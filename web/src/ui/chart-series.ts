export interface ChartSeries {
  name: string;
  /** One for each label; null where there is nothing to show. */
  values: readonly (number | null)[];
  tone: 'accent' | 'good' | 'warn' | 'bad' | 'soft' | 'edge';
}
