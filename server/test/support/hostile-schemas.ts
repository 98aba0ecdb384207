/** Needs 2^levels evaluations. */
export function exponential(levels: number): object {
  const $defs: Record<string, unknown> = { a0: { type: 'number', not: { const: 'x' } } };
  for (let i = 1; i <= levels; i++) {
    const $ref = `#/$defs/a${i - 1}`;
    $defs[`a${i}`] = { anyOf: [{ allOf: [{ $ref }, false] }, { allOf: [{ $ref }, false] }, { $ref }] };
  }
  return { $ref: `#/$defs/a${levels}`, $defs };
}

/** Marks every item at each level, all at once. With MANY_ITEMS, this exceeds the memory of a worker. */
export function greedy(levels = 200): object {
  let schema: object = { contains: true, unevaluatedItems: false };
  for (let i = 0; i < levels; i++) schema = { contains: true, allOf: [schema], unevaluatedItems: false };
  return schema;
}

export const MANY_ITEMS = `[${'1,'.repeat(65_600)}1]`;

/** A pattern with so many concurrent states that one text takes a second, without a chance to stop in between. */
export const UNSTOPPABLE = { pattern: '(a|b|c){900}'.repeat(20) };
export const UNSTOPPABLE_TEXT = JSON.stringify('abc'.repeat(6_000));
