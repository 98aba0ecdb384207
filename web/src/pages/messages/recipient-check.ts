import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, JsonText, type WaybillError } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import type { RecipientCheck } from '../../api/schema.ts';
import { type Problem, problemsIn, readJson } from '../../parts/json-editor/problems.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';

const TYPING_MS = 400;
const CHECK = 'POST /v1/schema-check';
const ADDRESS = /^[a-z0-9][a-z0-9-]{1,31}(\/[a-z0-9-]{1,31})?$/;

export interface SchemaVerdict {
  handle: string;
  problems: Problem[];
}

/**
 * Checks JSON against the schema of its recipient while it is typed. Undefined: the recipient publishes none, or the check is under way or has
 * failed. Sending does not depend on it.
 */
export function useRecipientCheck(to: string | undefined, text: string): SchemaVerdict | undefined {
  const address = to?.trim().replace(/^@/, '').toLowerCase() ?? '';
  const json = useMemo(() => (text.trim() === '' ? undefined : readJson(text).tree), [text]);
  const question = json && ADDRESS.test(address) ? `${address} ${text}` : undefined;
  const asked = useDebouncedValue(question, TYPING_MS);
  const { data, isSuccess } = useQuery<RecipientCheck, WaybillError>({
    queryKey: [...keyOf(CHECK, {}), asked],
    queryFn: ({ signal }) => call(CHECK, inputOf(asked ?? ''), { signal }),
    enabled: asked !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const validation = asked === question && isSuccess ? data.validation : undefined;
  return useMemo(() => {
    if (!json || validation === undefined || validation.status === 'not_applicable') return undefined;
    return { handle: address.split('/')[0] ?? '', problems: problemsIn(json, validation.errors) };
  }, [json, address, validation]);
}

/** The input of the key `<address> <JSON>`. */
function inputOf(question: string) {
  const end = question.indexOf(' ');
  return { query: { to: question.slice(0, end) }, body: new JsonText(`{"json":${question.slice(end + 1)}}`) };
}
