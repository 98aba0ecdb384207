import { useState } from 'react';
import { WaybillError } from '../api/client.ts';
import { keysOf } from '../keys-of.ts';
import { useTask } from './task.ts';

type Errors<Fields> = Partial<Record<keyof Fields, string>>;

interface FormOptions<Fields> {
  initial: Fields;
  /** Sends the fields. Steps after a success belong here too, such as closing the dialog. */
  submit(fields: Fields): Promise<unknown>;
  /** Problems found without the API. With any, nothing is sent. */
  check?(fields: Fields): Errors<Fields>;
  /** The field for an error code of the API. */
  codes?: Partial<Record<WaybillError['code'], keyof Fields>>;
  /** The JSON Pointers of a field, if its name differs in the request. */
  paths?: Partial<Record<keyof Fields, readonly string[]>>;
}

export interface Form<Fields> {
  fields: Fields;
  set(changes: Partial<Fields>): void;
  field<Name extends keyof Fields>(
    name: Name,
  ): { value: Fields[Name]; error: string | undefined; onChange(event: { target: { value: string } }): void };
  isBusy: boolean;
  /** The error that no field shows. */
  error: WaybillError | null;
  submit(): void;
}

export function useForm<Fields extends Record<string, string>>({
  initial,
  submit,
  check,
  codes = {},
  paths = {},
}: FormOptions<Fields>): Form<Fields> {
  const [fields, setFields] = useState(initial);
  const [errors, setErrors] = useState<Errors<Fields>>({});
  const { isBusy, error, run } = useTask();
  const names = keysOf(initial);
  const pathsOf = (name: keyof Fields & string) => paths[name] ?? [`/${name}`];
  const errorsIn = (failure: WaybillError): Errors<Fields> => {
    const found: Errors<Fields> = {};
    const byCode = codes[failure.code];
    if (byCode !== undefined) {
      found[byCode] = failure.message;
      return found;
    }
    for (const name of names) {
      const message = pathsOf(name)
        .map((path) => failure.field(path))
        .find(Boolean);
      if (message !== undefined) found[name] = message;
    }
    return found;
  };
  const isAtFields = ({ code, details }: WaybillError) =>
    code in codes || (details.length > 0 && details.every(({ path }) => names.some((name) => pathsOf(name).includes(path))));
  const set = (changes: Partial<Fields>) => {
    setFields((known) => ({ ...known, ...changes }));
    setErrors((known) => {
      const left = { ...known };
      for (const name of keysOf(changes)) delete left[name];
      return left;
    });
  };
  const send = async () => {
    try {
      await submit(fields);
    } catch (failure) {
      if (failure instanceof WaybillError) setErrors(errorsIn(failure));
      throw failure;
    }
  };
  return {
    fields,
    set,
    field: (name) => ({
      value: fields[name],
      error: asSentence(errors[name]),
      onChange: ({ target }) => set({ [name]: target.value } as Partial<Fields>),
    }),
    isBusy,
    error: error && !isAtFields(error) ? error : null,
    submit: () => {
      const problems = check?.(fields) ?? {};
      setErrors(problems);
      if (!isBusy && Object.keys(problems).length === 0) void run(send);
    },
  };
}

/** The API does not name the field in a message: “must be 2 to 32 characters”. */
function asSentence(message: string | undefined): string | undefined {
  if (message === undefined || !/^\p{Ll}/u.test(message)) return message;
  return `This ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}
