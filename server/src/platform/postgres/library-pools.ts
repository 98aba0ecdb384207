import type pg from 'pg';
import { NoResponse } from './database-errors.ts';

/** Libraries write whenever they want. While writes hang, each write would hold a connection of the server. */

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error | boolean) => void) => void;

export function refusingWhile(isHanging: () => boolean, pool: pg.Pool): pg.Pool {
  return withConnect(pool, (callback?: Connected) => {
    if (!isHanging()) return Reflect.apply(pool.connect, pool, callback ? [callback] : []);
    const error = new NoResponse('Writes to the database hang.');
    if (!callback) return Promise.reject(error);
    process.nextTick(callback, error);
    return undefined;
  });
}

/** While writes hang, lends connections that refuse writes, and that are not reused. */
export function readOnlyWhile(isHanging: () => boolean, pool: pg.Pool): pg.Pool {
  return withConnect(pool, async () => {
    const client = await pool.connect();
    if (!isHanging()) return client;
    const release = client.release.bind(client);
    client.release = () => release(true);
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY').catch(() => {});
    return client;
  });
}

function withConnect(pool: pg.Pool, connect: (callback?: Connected) => unknown): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
