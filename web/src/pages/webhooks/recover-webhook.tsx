import { useAction } from '../../api/queries.ts';
import { Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';

type Fields = { hours: string; only: 'undelivered' | 'failed' | 'missing' | 'all' };

const HOUR_MS = 3_600_000;

export function RecoverWebhook({ id, onClose }: { id: string; onClose(): void }) {
  const recover = useAction('POST /v1/webhooks/{id}/recover', { changes: ['GET /v1/webhooks/{id}/recoveries'] });
  const form = useForm<Fields>({
    initial: { hours: '24', only: 'undelivered' },
    paths: { hours: ['/since'] },
    submit: async ({ hours, only }) => {
      const since = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
      await recover.mutateAsync({ path: { id }, body: { since, only } });
      say('Recovery started');
      onClose();
    },
  });
  return (
    <FormDialog title="Recover messages" action="Recover" form={form} onClose={onClose}>
      <p className="text-soft">
        Messages of your inbox are delivered to this webhook again, the oldest first, as fast as the endpoint accepts them.
      </p>
      <Select label="Received in the last" {...form.field('hours')}>
        <option value="1">hour</option>
        <option value="24">24 hours</option>
        <option value="168">7 days</option>
        <option value="696">29 days</option>
      </Select>
      <Select label="Messages" {...form.field('only')}>
        <option value="undelivered">Not delivered yet</option>
        <option value="failed">Dropped after the last attempt, or 410</option>
        <option value="missing">Never attempted</option>
        <option value="all">All, including delivered</option>
      </Select>
    </FormDialog>
  );
}
