export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
  tone: 'accent' | 'good' | 'warn' | 'bad' | 'soft' | 'edge';
}
