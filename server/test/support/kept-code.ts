import { setTimeout as sleep } from 'node:timers/promises';
import { Browser } from './browser.ts';

type Query = (text: string, values: string[]) => Promise<{ rows: { text: string }[] }>;

/** Signs in with the code in a kept mail, for programs that are not tests. */
export async function signInWithKeptCode(url: string, email: string, query: Query): Promise<Browser> {
  const person = new Browser(url);
  await person.post('/auth/email-otp/send-verification-otp', { email });
  await person.post('/auth/sign-in/email-otp', { email, otp: await keptCode(email, query) });
  return person;
}

async function keptCode(email: string, query: Query): Promise<string> {
  for (;;) {
    const { rows } = await query(`SELECT mail ->> 'text' AS text FROM kept_mails WHERE mail ->> 'to' = $1 ORDER BY id DESC`, [email]);
    const code = /\b\d{6}\b/.exec(rows[0]?.text ?? '')?.[0];
    if (code !== undefined) return code;
    await sleep(50);
  }
}
