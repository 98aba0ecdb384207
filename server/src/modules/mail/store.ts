import type { Queryable } from '../../platform/postgres.ts';

export async function queueMail(tx: Queryable, mail: object): Promise<void> {
  await tx.query(`SELECT graphile_worker.add_job('send-mail', $1::json)`, [JSON.stringify(mail)]);
}
