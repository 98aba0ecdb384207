import { type ChangeEvent, useState } from 'react';
import { COLOUR_CHARS, CONTRAST_MIN, contrastWithWhite, parseColour } from '../../../../server/src/contract/colour.ts';
import { useActiveBusiness } from '../../api/business.ts';
import { WELCOME_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { DropPage } from '../../api/schema.ts';
import { BusinessSign } from '../../parts/business-sign.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { logoOf } from './logo.ts';

const CHANGES = ['GET /v1/business/drop-page', 'GET /v1/public/{handle}/drop-page'] as const;

export function DropPageSettings({ name, isAdmin }: { name: string; isAdmin: boolean }) {
  const page = useReading('GET /v1/business/drop-page', {});
  return (
    <States of={page} rows={2}>
      {(shown) => (isAdmin ? <Editing name={name} shown={shown} /> : <Preview name={name} shown={shown} />)}
    </States>
  );
}

function Editing({ name, shown }: { name: string; shown: DropPage }) {
  const change = useAction('PATCH /v1/business/drop-page', { changes: [...CHANGES] });
  const form = useForm({
    initial: { welcome: shown.welcome, accent: shown.accent ?? '' },
    check: ({ accent }) => (accent === '' || parseColour(accent) ? {} : { accent: 'Enter a colour such as #1f5fd0, or nothing.' }),
    submit: async ({ welcome, accent }) => {
      await change.mutateAsync({ body: { welcome, accent: accent.trim() === '' ? null : accent.trim() } });
      say('Drop page saved');
    },
  });
  const accent = parseColour(form.fields.accent) ?? null;
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <div className="max-w-xl space-y-5">
        <LogoField hasLogo={shown.logo_path !== null} />
        <Form form={form} className="space-y-5">
          <TextField
            label="Colour"
            placeholder="#1f5fd0"
            maxLength={COLOUR_CHARS}
            {...VERBATIM}
            hint={accent !== null && contrastWithWhite(accent) < CONTRAST_MIN ? 'Too light: white text on it can’t be read.' : undefined}
            {...form.field('accent')}
          />
          <TextArea label="Welcome text" rows={3} maxLength={WELCOME_MAX_CHARS} {...form.field('welcome')} />
          <SubmitButton form={form}>Save drop page</SubmitButton>
        </Form>
      </div>
      <Preview name={name} shown={{ ...shown, welcome: form.fields.welcome, accent }} />
    </div>
  );
}

function LogoField({ hasLogo }: { hasLogo: boolean }) {
  const change = useAction('PATCH /v1/business/drop-page', { changes: [...CHANGES] });
  const { isBusy, error, run } = useTask();
  const [problem, setProblem] = useState<string>();
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (!file) return;
    const logo = await logoOf(file);
    target.value = '';
    setProblem(logo === undefined ? 'This is not an image that your browser can read.' : undefined);
    if (logo === undefined) return;
    await change.mutateAsync({ body: { logo } });
    say('Logo saved');
  };
  const remove = async () => {
    await change.mutateAsync({ body: { logo: null } });
    say('Logo removed');
  };
  return (
    <div>
      <label htmlFor="logo" className="mb-1.5 block text-sm font-medium">
        Logo
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <input
          id="logo"
          type="file"
          accept="image/png,image/jpeg,image/webp"
          disabled={isBusy}
          onChange={(event) => void run(() => choose(event))}
          className="max-w-full text-sm file:mr-3 file:h-9 file:rounded-lg file:border file:border-line file:bg-paper file:px-3.5 file:font-medium"
        />
        {hasLogo ? (
          <Button look="quiet" isBusy={isBusy} onClick={() => void run(remove)}>
            Remove logo
          </Button>
        ) : null}
      </div>
      <p className="mt-1.5 text-sm text-soft">A PNG, JPEG or WebP image. A large image is made smaller.</p>
      {problem === undefined ? null : (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      {error ? <ErrorNote error={error} /> : null}
    </div>
  );
}

function Preview({ name, shown }: { name: string; shown: DropPage }) {
  const handle = useActiveBusiness();
  return (
    <section aria-label="Preview of the drop page" className="self-start rounded-2xl border border-line p-6">
      <BusinessSign name={name} shown={shown} />
      <p className="text-2xl font-semibold tracking-tight wrap-anywhere">{name}</p>
      <p className="text-soft">@{handle}</p>
      {shown.welcome === '' ? null : <p className="mt-3 whitespace-pre-line wrap-anywhere">{shown.welcome}</p>}
    </section>
  );
}
