import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

export function AddDomainDialog({ onClose }: { onClose(): void }) {
  const [domain, setDomain] = useState('');
  const add = useAction('POST /v1/domains', { changes: ['GET /v1/domains'] });
  return (
    <FormDialog
      title="Add a domain"
      action="Add domain"
      isBusy={add.isPending}
      error={add.error}
      fields={['/domain']}
      onSubmit={() => add.mutate({ body: { domain: domain.trim() } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label="Domain"
        placeholder="example.com"
        value={domain}
        onChange={({ target }) => setDomain(target.value)}
        inputMode="url"
        {...VERBATIM}
        error={add.error?.at('/domain')}
        hint="What comes after the @ in your mail addresses. Next, you get a TXT record to add to its DNS."
      />
    </FormDialog>
  );
}
