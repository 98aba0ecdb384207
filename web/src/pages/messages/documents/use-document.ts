import { useDeferredValue, useLayoutEffect, useMemo, useRef } from 'react';
import type { JsonObject, LosslessJson } from '../../../../../packages/client/src/lossless-json.ts';
import { computeTotals, editJson, type JsonEdit, orderIn } from '../../../../../packages/documents/src/index.ts';
import { rowsAt, rowText, typedOf, valueAt } from './document-text.ts';
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
  const latest = useRef(text);
  useLayoutEffect(() => {
    latest.current = text;
  }, [text]);
  const checked = useDeferredValue(document);
  const checkedText = useDeferredValue(text);
  const marks = useMemo(() => [...marksOf(type.schema, checked, type.rules, checkedText), ...others], [type, checked, checkedText, others]);
  const byPath = useMemo(() => marksByPath(marks), [marks]);
  const edit = (edits: readonly JsonEdit[]) => {
    const before = latest.current;
    const edited = editJson(before, edits, orderIn(type.schema));
    latest.current = type.rules.length === 0 ? edited : computeTotals(type, edited, before);
    onChange(latest.current);
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
      const [one, two] = [row, other].map((at) => rowText(latest.current, path, at));
      if (one === undefined || two === undefined) return;
      edit([
        { path: `${path}/${row}`, value: two },
        { path: `${path}/${other}`, value: one },
      ]);
    },
  };
}
