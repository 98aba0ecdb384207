import { useAction } from '../../api/queries.ts';
import type { Account } from '../../api/schema.ts';
import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';

const OPTIONS = [
  { value: 'at_once', label: 'At once', hint: 'Half a minute after the first notification, so that several come in one mail.' },
  { value: 'hourly', label: 'Hourly', hint: 'On the hour, if there is something unread.' },
  { value: 'daily', label: 'Daily', hint: 'At 07:00 UTC, if there is something unread.' },
  { value: 'never', label: 'Never', hint: 'Notifications are only on the pages.' },
] as const;

export function NotificationMails({ account: { email, notification_mail } }: { account: Account }) {
  const change = useAction('PATCH /v1/account', { changes: ['GET /v1/account'] });
  const chosen = (change.isPending ? change.variables.body.notification_mail : undefined) ?? notification_mail;
  return (
    <Section title="Notification mails">
      {email === null ? (
        <p className="text-soft">Sign in with an email code to verify an address that mails can go to.</p>
      ) : (
        <div className="max-w-xl space-y-3">
          <Choice
            label="Mail me when someone mentions me or assigns a thread to me"
            options={OPTIONS}
            value={chosen}
            onChange={(notification_mail) => change.mutate({ body: { notification_mail } })}
          />
          <p className="text-sm text-soft">Mails say who and how many, never what was written.</p>
          {change.error ? <ErrorNote error={change.error} /> : null}
        </div>
      )}
    </Section>
  );
}
