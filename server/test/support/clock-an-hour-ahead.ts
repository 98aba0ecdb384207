/** Loaded with `node --import`: the clock of the process is an hour ahead, like that of a machine with the wrong time. */
const AHEAD_MS = 3_600_000;
const Real = Date;

globalThis.Date = new Proxy(Real, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [Real.now() + AHEAD_MS] : args, newTarget),
  get: (target, name) => (name === 'now' ? () => Real.now() + AHEAD_MS : Reflect.get(target, name)),
});
