import { useAction } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Copyable, Time } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { useForm } from '../../ui/use-form.ts';

const GRACES = [
  { value: '86400', label: '1 day', hint: 'Deploy the new secret at your own pace.' },
  { value: '604800', label: '7 days' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: 'None', hint: 'The current secret stops at once. Choose this if it has leaked.' },
] as const;

type Fields = { grace: (typeof GRACES)[number]['value'] };

export function RotateSecret({ id, onClose }: { id: string; onClose(): void }) {
  const rotate = useAction('POST /v1/webhooks/{id}/rotate-secret', { changes: ['GET /v1/webhooks/{id}', 'GET /v1/webhooks'] });
  const form = useForm<Fields>({
    initial: { grace: '86400' },
    submit: ({ grace }) => rotate.mutateAsync({ path: { id }, body: { grace_s: Number(grace) } }),
  });
  const { data } = rotate;
  if (data)
    return (
      <SecretDialog title="Secret rotated" secret={data.secret} label="secret" onClose={onClose}>
        {data.public_key === null ? null : (
          <div className="mt-4 space-y-2">
            <p className="text-sm text-soft">The new public key, for Ed25519 signatures:</p>
            <Copyable text={data.public_key} label="public key" />
          </div>
        )}
        <p className="mt-4 text-sm text-soft">
          {data.previous_valid_until === null ? (
            'The former secret no longer signs deliveries.'
          ) : (
            <>
              Until <Time at={data.previous_valid_until} isExact />, each delivery is signed with the former secret, too.
            </>
          )}
        </p>
      </SecretDialog>
    );
  return (
    <FormDialog title="Rotate secret" action="Rotate secret" form={form} onClose={onClose}>
      <Choice
        label="Keep signing with the current secret for"
        options={GRACES}
        value={form.fields.grace}
        onChange={(grace) => form.set({ grace })}
      />
    </FormDialog>
  );
}
