import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ApiError, call } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import type { SchemaCheck } from '../../api/schema.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { written } from './inbox-schema.ts';
import { type Problem, problemsIn, readJson, readSchema } from './problems.ts';

const TYPING_MS = 300;
const CHECK = 'POST /v1/inbox/schema/check';

export interface Checking {
  /** Undefined while it is not known what is wrong with the text as it is now. */
  schemaProblems: Problem[] | undefined;
  sampleProblems: Problem[] | undefined;
  /** What a message with the sample would get; undefined while it is not known, null when there is nothing to judge. */
  verdict: 'passed' | 'failed' | null | undefined;
  error: ApiError | null;
  retry(): void;
}

/** What is wrong with a schema and with a sample, as they are written. What is asked while somebody types on is taken back. */
export function useChecking(schemaText: string, sampleText: string): Checking {
  const schema = useMemo(() => readSchema(schemaText), [schemaText]);
  const sample = useMemo(() => (sampleText.trim() === '' ? undefined : readJson(sampleText)), [sampleText]);
  const body = schema.tree ? `{"schema":${schemaText}${sample?.tree ? `,"json":${sampleText}` : ''}}` : undefined;
  const asked = useDebouncedValue(body, TYPING_MS);
  const { data, error, isSuccess, isPlaceholderData, refetch } = useQuery<SchemaCheck, ApiError>({
    queryKey: [...keyOf(CHECK, {}), asked],
    queryFn: ({ signal }) => call(CHECK, { body: written(asked ?? '') }, { signal }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
  const answer = asked === body && isSuccess && !isPlaceholderData ? data : undefined;
  return useMemo(() => {
    const validation = answer?.validation;
    return {
      schemaProblems: schema.tree ? answer && problemsIn(schema.tree, answer.schema.errors) : [schema.problem],
      sampleProblems: sample?.problem
        ? [sample.problem]
        : sample && schema.tree
          ? answer && problemsIn(sample.tree, validation?.errors ?? [])
          : [],
      verdict: !schema.tree || !sample?.tree || validation === null ? null : (validation?.status as 'passed' | 'failed' | undefined),
      error: asked === body ? error : null,
      retry: () => void refetch(),
    };
  }, [schema, sample, answer, error, asked, body, refetch]);
}
