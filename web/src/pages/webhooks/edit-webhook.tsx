import { ADDRESS_MAX_CHARS, WEBHOOK_DESCRIPTION_MAX_CHARS, WEBHOOK_URL_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Webhook } from '../../api/schema.ts';
import { Select, Switch, TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { EventChoice, eventsIn } from './events.tsx';

type Fields = {
  url: string;
  target: string;
  types: string;
  description: string;
  max_per_second: string;
  change: 'keep' | 'replace';
  headers: string;
  ed25519: 'yes' | 'no';
  ordered: 'yes' | 'no';
  /** The events, separated by spaces. */
  events: string;
};

const TYPES_MAX = 20;

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const change = useAction('PATCH /v1/webhooks/{id}', { changes: ['GET /v1/webhooks', 'GET /v1/webhooks/{id}'] });
  const hasHeaders = webhook.header_names.length > 0;
  const initial: Fields = {
    url: webhook.url,
    target: webhook.target ?? '',
    types: (webhook.types ?? []).join('\n'),
    description: webhook.description ?? '',
    max_per_second: webhook.max_per_second === null ? '' : String(webhook.max_per_second),
    change: hasHeaders ? 'keep' : 'replace',
    headers: '',
    ed25519: webhook.signatures.includes('ed25519') ? 'yes' : 'no',
    ordered: webhook.ordered ? 'yes' : 'no',
    events: webhook.events.join(' '),
  };
  const form = useForm<Fields>({
    initial,
    codes: { invalid_webhook_url: 'url' },
    paths: { types: ['/types', ...Array.from({ length: TYPES_MAX }, (_, i) => `/types/${i}`)] },
    check: ({ headers, max_per_second }) => ({
      ...(linesOf(headers).every((line) => /^[^:\s]+:\s*\S/.test(line)) ? {} : { headers: 'Write each header as Name: value.' }),
      ...(/^\d*$/.test(max_per_second.trim()) ? {} : { max_per_second: 'Enter a whole number, or nothing.' }),
    }),
    submit: async (fields) => {
      const body = changesOf(settingsOf(initial), settingsOf(fields));
      if (Object.keys(body).length > 0) {
        await change.mutateAsync({ path: { id: webhook.id }, body });
        say('Webhook saved');
      }
      onClose();
    },
  });
  const isReplacing = form.fields.change === 'replace';
  return (
    <FormDialog title="Edit webhook" action="Save" form={form} onClose={onClose}>
      <TextField label="URL" type="url" inputMode="url" maxLength={WEBHOOK_URL_MAX_CHARS} {...VERBATIM} {...form.field('url')} />
      <TextField label="Description" maxLength={WEBHOOK_DESCRIPTION_MAX_CHARS} {...form.field('description')} />
      <EventChoice value={eventsIn(form.fields.events)} onChange={(events) => form.set({ events: events.join(' ') })} />
      <TextField
        label="Segment"
        maxLength={ADDRESS_MAX_CHARS}
        hint="Only messages to this segment. Empty for all."
        {...VERBATIM}
        {...form.field('target')}
      />
      <TextArea
        label="Message types"
        rows={2}
        placeholder={'invoice\norder.*'}
        hint="One per line; * at the end stands for any text. Empty for all."
        {...VERBATIM}
        {...form.field('types')}
      />
      {hasHeaders ? (
        <Select label="Headers" {...form.field('change')}>
          <option value="keep">Keep {webhook.header_names.join(', ')}</option>
          <option value="replace">Replace all</option>
        </Select>
      ) : null}
      {isReplacing ? (
        <TextArea
          label={hasHeaders ? 'New headers' : 'Headers'}
          rows={2}
          placeholder="Authorization: Bearer …"
          hint="One per line, sent with each delivery. Values are hidden once they are saved."
          {...VERBATIM}
          {...form.field('headers')}
        />
      ) : null}
      <TextField
        label="Deliveries per second"
        inputMode="numeric"
        hint="1 to 1,000. Empty for no limit."
        {...form.field('max_per_second')}
      />
      <Switch
        label="In order"
        hint="Of each thread one delivery at a time, in order. One that fails delays the rest of its thread only."
        checked={form.fields.ordered === 'yes'}
        onChange={({ target }) => form.set({ ordered: target.checked ? 'yes' : 'no' })}
      />
      <Switch
        label="Ed25519 signatures"
        hint="Receivers verify with a public key and hold no secret. Deliveries keep their HMAC signature."
        checked={form.fields.ed25519 === 'yes'}
        onChange={({ target }) => form.set({ ed25519: target.checked ? 'yes' : 'no' })}
      />
    </FormDialog>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function settingsOf({ url, target, types, description, max_per_second, change, headers, ed25519, ordered, events }: Fields) {
  const patterns = linesOf(types);
  const given = linesOf(headers).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  const signatures: Webhook['signatures'] = ed25519 === 'yes' ? ['hmac', 'ed25519'] : ['hmac'];
  return {
    url: url.trim(),
    target: target.trim() || null,
    types: patterns.length > 0 ? patterns : null,
    description: description.trim() || null,
    max_per_second: max_per_second.trim() === '' ? null : Number(max_per_second),
    ordered: ordered === 'yes',
    events: eventsIn(events),
    signatures,
    ...(change === 'replace' && { headers: given.length > 0 ? Object.fromEntries(given) : null }),
  };
}

type Settings = ReturnType<typeof settingsOf>;

/** Returns only changed fields, because a URL that is sent is checked again. */
function changesOf(before: Settings, after: Settings): Partial<Settings> {
  const entries = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Object.entries(before).find(([one]) => one === name)?.[1]),
  );
  return Object.fromEntries(entries);
}
