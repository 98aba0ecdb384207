import { createHash } from 'node:crypto';
import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

/**
 * Lets better-auth keep the hashes of session tokens in place of the tokens, as is done with API keys: whoever reads the
 * database, or a copy of it, can't act for anybody. Rows that were found by a token are given back with it.
 */
export function hashingTokens(adapter: DBAdapter): DBAdapter {
  return { ...adapter, ...hashing(adapter), transaction: (work) => adapter.transaction((tx) => work({ ...tx, ...hashing(tx) })) };
}

type Hashing = Pick<DBTransactionAdapter, 'create' | 'findOne' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany' | 'count'>;

function hashing(adapter: DBTransactionAdapter): Hashing {
  return {
    create: async <T extends Record<string, unknown>, R = T>(args: Parameters<typeof adapter.create<T, R>>[0]) => {
      const { token }: { token?: unknown } = args.data;
      if (args.model !== 'session' || typeof token !== 'string') return adapter.create<T, R>(args);
      const row = await adapter.create<T, R>({ ...args, data: { ...args.data, token: hashOf(token) } });
      return { ...row, token };
    },
    findOne: async <T>(args: Parameters<typeof adapter.findOne<T>>[0]) => restored(await adapter.findOne<T>(hashed(args)), args),
    findMany: (args) => adapter.findMany(hashed(args)),
    update: async <T>(args: Parameters<typeof adapter.update<T>>[0]) => restored(await adapter.update<T>(hashed(args)), args),
    updateMany: (args) => adapter.updateMany(hashed(args)),
    delete: (args) => adapter.delete(hashed(args)),
    deleteMany: (args) => adapter.deleteMany(hashed(args)),
    count: (args) => adapter.count(hashed(args)),
  };
}

interface Asked {
  model: string;
  where?: Where[] | undefined;
}

function hashed<A extends Asked>(args: A): A {
  if (args.model !== 'session' || !args.where) return args;
  const where = args.where.map((condition) =>
    condition.field === 'token' ? { ...condition, value: hashOf(String(condition.value)) } : condition,
  );
  return { ...args, where };
}

function restored<T>(row: T | null, { model, where = [] }: Asked): T | null {
  const token = model === 'session' ? where.find(({ field }) => field === 'token')?.value : undefined;
  return row && token !== undefined ? { ...row, token } : row;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
