import { createHash } from 'node:crypto';
import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

/**
 * Makes better-auth store hashes of session tokens instead of the tokens, like API keys: a copy of the database lets nobody act for
 * anybody. Rows that were found by a token are returned with the token.
 */
export function hashTokens(adapter: DBAdapter): DBAdapter {
  return { ...adapter, ...hashIn(adapter), transaction: (work) => adapter.transaction((tx) => work({ ...tx, ...hashIn(tx) })) };
}

type Hashing = Pick<DBTransactionAdapter, 'create' | 'findOne' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany' | 'count'>;

function hashIn(adapter: DBTransactionAdapter): Hashing {
  return {
    create: async <T extends Record<string, unknown>, R = T>(args: Parameters<typeof adapter.create<T, R>>[0]) => {
      const { token }: { token?: unknown } = args.data;
      if (args.model !== 'session' || typeof token !== 'string') return adapter.create<T, R>(args);
      const row = await adapter.create<T, R>({ ...args, data: { ...args.data, token: hashOf(token) } });
      return { ...row, token };
    },
    findOne: async <T>(args: Parameters<typeof adapter.findOne<T>>[0]) => restoreToken(await adapter.findOne<T>(hashQuery(args)), args),
    findMany: (args) => adapter.findMany(hashQuery(args)),
    update: async <T>(args: Parameters<typeof adapter.update<T>>[0]) => restoreToken(await adapter.update<T>(hashQuery(args)), args),
    updateMany: (args) => adapter.updateMany(hashQuery(args)),
    delete: (args) => adapter.delete(hashQuery(args)),
    deleteMany: (args) => adapter.deleteMany(hashQuery(args)),
    count: (args) => adapter.count(hashQuery(args)),
  };
}

interface Query {
  model: string;
  where?: Where[] | undefined;
}

function hashQuery<A extends Query>(args: A): A {
  if (args.model !== 'session' || !args.where) return args;
  const where = args.where.map((condition) =>
    condition.field === 'token' ? { ...condition, value: hashOf(String(condition.value)) } : condition,
  );
  return { ...args, where };
}

function restoreToken<T>(row: T | null, { model, where = [] }: Query): T | null {
  const token = model === 'session' ? where.find(({ field }) => field === 'token')?.value : undefined;
  return row && token !== undefined ? { ...row, token } : row;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
