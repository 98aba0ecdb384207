import { useDeferredValue, useLayoutEffect, useMemo, useRef } from 'react';
import type { JsonObject, LosslessJson } from '../../../../../packages/client/src/lossless-json.ts';
import { editDocument, type JsonEdit } from '../../../../../packages/documents/src/index.ts';
import { keepRead, rowsAt, rowText, typedOf, valueAt } from './document-text.ts';
import type { FormModel } from './form-model.ts';
import type { FormOf } from './form-of.ts';
import { type Mark, marksByPath, marksOf } from './form-problems.ts';

export interface DocumentEditor {
  model: FormModel;
  /** Errors of the schema, of the recipient's schema, and warnings of the rules. */
  marks: readonly Mark[];
  markAt(path: string): Mark | undefined;
  valueAt(path: string): LosslessJson | undefined;
  typedAt(path: string): string;
  rows(path: string): readonly LosslessJson[];
  edit(edits: readonly JsonEdit[]): void;
  /** Exchanges two rows, as they are written. */
  swapRows(path: string, row: number, other: number): void;
}

export function useDocument(
  type: FormOf,
  document: JsonObject,
  text: string,
  onChange: (text: string) => void,
  others: readonly Mark[],
): DocumentEditor {
  /** More than one edit can come before the form is rendered again. */
  const latest = useRef({ text, document });
  useLayoutEffect(() => {
    latest.current = { text, document };
  }, [text, document]);
  const checked = useDeferredValue(document);
  const marks = useMemo(() => [...marksOf(type.schema, checked, type.rules), ...others], [type, checked, others]);
  const byPath = useMemo(() => marksByPath(marks), [marks]);
  const edit = (edits: readonly JsonEdit[]) => {
    latest.current = editDocument(type, latest.current, edits);
    keepRead(latest.current);
    onChange(latest.current.text);
  };
  return {
    model: type.model,
    marks,
    markAt: (path) => byPath.get(path),
    valueAt: (path) => valueAt(document, path),
    typedAt: (path) => typedOf(valueAt(document, path)),
    rows: (path) => rowsAt(document, path),
    edit,
    swapRows: (path, row, other) => {
      const [one, two] = [row, other].map((at) => rowText(latest.current.text, path, at));
      if (one === undefined || two === undefined) return;
      edit([
        { path: `${path}/${row}`, value: two },
        { path: `${path}/${other}`, value: one },
      ]);
    },
  };
}
