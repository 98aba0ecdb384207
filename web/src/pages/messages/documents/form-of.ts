import { useMemo } from 'react';
import { layoutFor } from '../../../../../packages/documents/src/index.ts';
import type { KnownType } from '../../../documents/known-type.ts';
import { useKnownType } from '../../../documents/known-types.ts';
import { type FormModel, modelOf } from './form-model.ts';

/** A type that the composer has a form for. */
export interface FormOf extends KnownType {
  model: FormModel;
}

/** The form for a message's `type`. Suspends while the type is loaded. Undefined: there is none. */
export function useFormOf(name: string): FormOf | undefined {
  const known = useKnownType(name.trim());
  return useMemo(() => {
    if (!known) return undefined;
    const layout = layoutFor(known.schema, known.layout);
    return { ...known, layout, model: modelOf({ ...known, layout }) };
  }, [known]);
}
