import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

/** As better-auth names the code of a mailbox. */
const CODE = 'sign-in-otp-';

/**
 * Has better-auth keep a one-time code for each browser that asks, where it would keep one for each mailbox: a stranger who
 * asks for codes of a mailbox, or guesses at them, uses up neither the code nor the tries of anybody else.
 */
export function bindingCodes(adapter: DBAdapter, device: () => string): DBAdapter {
  const bound = (on: DBTransactionAdapter) => binding(on, device);
  return { ...adapter, ...bound(adapter), transaction: (work) => adapter.transaction((tx) => work({ ...tx, ...bound(tx) })) };
}

type Binding = Pick<DBTransactionAdapter, 'create' | 'findOne' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany'>;

function binding(adapter: DBTransactionAdapter, device: () => string): Binding {
  const named = <T>(identifier: T): T | string =>
    typeof identifier === 'string' && identifier.startsWith(CODE) ? `${device()} ${identifier}` : identifier;
  const asked = <A extends { model: string; where?: Where[] | undefined }>(args: A): A => {
    if (args.model !== 'verification' || !args.where) return args;
    const where = args.where.map((condition) =>
      condition.field === 'identifier' ? { ...condition, value: named(condition.value) } : condition,
    );
    return { ...args, where };
  };
  return {
    create: <T extends Record<string, unknown>, R = T>(args: Parameters<typeof adapter.create<T, R>>[0]) => {
      const { identifier }: { identifier?: unknown } = args.data;
      return adapter.create<T, R>(
        args.model === 'verification' ? { ...args, data: { ...args.data, identifier: named(identifier) } } : args,
      );
    },
    findOne: <T>(args: Parameters<typeof adapter.findOne<T>>[0]) => adapter.findOne<T>(asked(args)),
    findMany: (args) => adapter.findMany(asked(args)),
    update: <T>(args: Parameters<typeof adapter.update<T>>[0]) => adapter.update<T>(asked(args)),
    updateMany: (args) => adapter.updateMany(asked(args)),
    delete: (args) => adapter.delete(asked(args)),
    deleteMany: (args) => adapter.deleteMany(asked(args)),
  };
}
