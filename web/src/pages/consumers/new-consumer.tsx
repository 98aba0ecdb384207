import { useNavigate } from '@tanstack/react-router';
import { CONSUMER_NAME_MAX_CHARS, CONSUMER_TRIES_MAX } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Consumer } from '../../api/schema.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { type Form, useForm } from '../../ui/use-form.ts';

type Taken = { types: string; target: string; max_tries: string };
type Fields = Taken & { name: string; start: 'now' | 'beginning'; order: 'any' | 'thread' };

const STARTS = [
  { value: 'now', label: 'With messages from now on' },
  { value: 'beginning', label: 'With the oldest message of your inbox' },
] as const;
const ORDERS = [
  { value: 'any', label: 'Any order', hint: 'Workers take messages as fast as they can.' },
  {
    value: 'thread',
    label: 'In order within each thread',
    hint: 'The next message of a thread comes after the one before is acknowledged.',
  },
] as const;

const PATHS: Partial<Record<keyof Taken, readonly string[]>> = {
  types: ['/filter/types', ...Array.from({ length: 20 }, (_, at) => `/filter/types/${at}`)],
  target: ['/filter/target'],
};

const bodyOf = ({ types, target, max_tries }: Taken) => {
  const patterns = types.split(',').flatMap((type) => type.trim() || []);
  return {
    filter: { ...(patterns.length > 0 && { types: patterns }), ...(target.trim() !== '' && { target: target.trim() }) },
    max_tries: Number(max_tries),
  };
};

const check = ({ max_tries }: Taken) => (/^\d{1,3}$/.test(max_tries) ? {} : { max_tries: 'Enter a number from 1 to 100.' });

export function NewConsumer({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const put = useAction('PUT /v1/consumers/{name}', { changes: ['GET /v1/consumers'] });
  const form = useForm<Fields>({
    initial: { name: '', types: '', target: '', max_tries: '10', start: 'now', order: 'any' },
    paths: PATHS,
    check: (fields) => ({ ...(fields.name.trim() === '' && { name: 'Enter a name.' }), ...check(fields) }),
    submit: async ({ name, start, order, ...taken }) => {
      const created = await put.mutateAsync({
        path: { name: name.trim() },
        body: { ...bodyOf(taken), start, ordered: order === 'thread' },
      });
      await navigate({ to: '/consumers/$name', params: { name: created.name } });
    },
  });
  return (
    <FormDialog title="New consumer" action="Create consumer" form={form} onClose={onClose}>
      <TextField
        label="Name"
        placeholder="order-workers"
        maxLength={CONSUMER_NAME_MAX_CHARS}
        {...VERBATIM}
        hint="Small letters, digits, dots, _ and -. Workers ask for it by this name."
        {...form.field('name')}
      />
      <TakenFields form={form} />
      <Choice label="Begins" options={STARTS} value={form.fields.start} onChange={(start) => form.set({ start })} />
      <Choice label="Order" options={ORDERS} value={form.fields.order} onChange={(order) => form.set({ order })} />
    </FormDialog>
  );
}

/** Changes apply to messages that the consumer has not taken yet. */
export function EditConsumer({ consumer, onClose }: { consumer: Consumer; onClose(): void }) {
  const { name, filter, ordered, max_tries } = consumer;
  const put = useAction('PUT /v1/consumers/{name}', { changes: ['GET /v1/consumers', 'GET /v1/consumers/{name}'] });
  const form = useForm<Taken>({
    initial: { types: filter.types?.join(', ') ?? '', target: filter.target ?? '', max_tries: String(max_tries) },
    paths: PATHS,
    check,
    submit: async (taken) => {
      const { filter: wanted, ...rest } = bodyOf(taken);
      // Fields that this form does not show stay unchanged.
      const { validation } = filter;
      await put.mutateAsync({ path: { name }, body: { ...rest, ordered, filter: { ...wanted, ...(validation && { validation }) } } });
      say('Consumer changed');
      onClose();
    },
  });
  return (
    <FormDialog title={`Change ${name}`} action="Save" form={form} onClose={onClose}>
      <TakenFields form={form} />
    </FormDialog>
  );
}

function TakenFields({ form }: { form: Pick<Form<Taken>, 'field'> }) {
  return (
    <>
      <TextField
        label="Types"
        placeholder="invoice, order.*"
        {...VERBATIM}
        hint="Separated by commas; * at the end stands for any text. Empty for all messages."
        {...form.field('types')}
      />
      <TextField label="Segment" placeholder="orders" {...VERBATIM} hint="Empty for all of your business." {...form.field('target')} />
      <TextField
        label="Tries"
        inputMode="numeric"
        maxLength={String(CONSUMER_TRIES_MAX).length}
        {...VERBATIM}
        hint="A message that was taken so often and never acknowledged is set aside, and the others go on."
        {...form.field('max_tries')}
      />
    </>
  );
}
