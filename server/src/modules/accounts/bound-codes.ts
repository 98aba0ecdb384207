import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

const CODE = 'sign-in-otp-';

/**
 * Makes better-auth store one code per browser instead of one per mailbox. A stranger who requests or guesses codes for a mailbox uses up
 * neither the owner's code nor the owner's tries.
 */
export function bindCodes(adapter: DBAdapter, device: () => string): DBAdapter {
  const bound = (on: DBTransactionAdapter) => bind(on, device);
  return { ...adapter, ...bound(adapter), transaction: (work) => adapter.transaction((tx) => work({ ...tx, ...bound(tx) })) };
}

type Binding = Pick<DBTransactionAdapter, 'create' | 'findOne' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany'>;

function bind(adapter: DBTransactionAdapter, device: () => string): Binding {
  const named = <T>(identifier: T): T | string =>
    typeof identifier === 'string' && identifier.startsWith(CODE) ? `${device()} ${identifier}` : identifier;
  const bindQuery = <A extends { model: string; where?: Where[] | undefined }>(args: A): A => {
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
    findOne: <T>(args: Parameters<typeof adapter.findOne<T>>[0]) => adapter.findOne<T>(bindQuery(args)),
    findMany: (args) => adapter.findMany(bindQuery(args)),
    update: <T>(args: Parameters<typeof adapter.update<T>>[0]) => adapter.update<T>(bindQuery(args)),
    updateMany: (args) => adapter.updateMany(bindQuery(args)),
    delete: (args) => adapter.delete(bindQuery(args)),
    deleteMany: (args) => adapter.deleteMany(bindQuery(args)),
  };
}
