export interface ChartSeries {
  name: string;
  /** One for each label; null for no value. */
  values: readonly (number | null)[];
  tone: 'accent' | 'good' | 'warn' | 'bad' | 'soft' | 'edge';
}
