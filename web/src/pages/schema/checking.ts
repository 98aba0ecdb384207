import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, JsonText, type WaybillError } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import type { SchemaCheck } from '../../api/schema.ts';
import { type Problem, problemsIn, readJson, readSchema } from '../../parts/json-editor/problems.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';

const TYPING_MS = 300;
const CHECK = 'POST /v1/inbox/schema/check';

export interface Checking {
  schemaProblems: Problem[] | undefined;
  sampleProblems: Problem[] | undefined;
  verdict: 'passed' | 'failed' | null | undefined;
  error: WaybillError | null;
  retry(): void;
}

/** Checks a schema and a sample while they are typed. A newer text cancels the check of the one before. */
export function useChecking(schemaText: string, sampleText: string): Checking {
  const schema = useMemo(() => readSchema(schemaText), [schemaText]);
  const sample = useMemo(() => (sampleText.trim() === '' ? undefined : readJson(sampleText)), [sampleText]);
  const body = schema.tree ? `{"schema":${schemaText}${sample?.tree ? `,"json":${sampleText}` : ''}}` : undefined;
  const asked = useDebouncedValue(body, TYPING_MS);
  const { data, error, isSuccess, isPlaceholderData, refetch } = useQuery<SchemaCheck, WaybillError>({
    queryKey: [...keyOf(CHECK, {}), asked],
    queryFn: ({ signal }) => call(CHECK, { body: new JsonText(asked ?? '') }, { signal }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
  const response = asked === body && isSuccess && !isPlaceholderData ? data : undefined;
  return useMemo(() => {
    const validation = response?.validation;
    return {
      schemaProblems: schema.tree ? response && problemsIn(schema.tree, response.schema.errors) : [schema.problem],
      sampleProblems: sample?.problem
        ? [sample.problem]
        : sample && schema.tree
          ? response && problemsIn(sample.tree, validation?.errors ?? [])
          : [],
      verdict: !schema.tree || !sample?.tree || validation === null ? null : (validation?.status as 'passed' | 'failed' | undefined),
      error: asked === body ? error : null,
      retry: () => void refetch(),
    };
  }, [schema, sample, response, error, asked, body, refetch]);
}
