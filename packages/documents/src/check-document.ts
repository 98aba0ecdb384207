import type { LosslessJson } from '@waybill/client';
import { DocumentPart } from './document-part.ts';
import type { DocumentType, Rule, Warning } from './document-type.ts';
import { WARNINGS_MAX } from './limits.ts';
import { parsedJson } from './parsed-json.ts';
import { warningOf } from './rules/amounts.ts';
import { checkable, oneCurrency } from './rules/head.ts';

const FOR_ALL: readonly Rule[] = [checkable, oneCurrency];

/**
 * What the rules of a type find in a document, in the order of the rules: at most WARNINGS_MAX warnings. Takes the JSON as text, so that no
 * number is rounded. Never throws: text that is no JSON gets one warning.
 */
export function checkDocument(type: Pick<DocumentType, 'rules'>, json: string): Warning[] {
  const value = parsedJson(json);
  if (value === undefined) return [{ path: '', code: 'not_json', message: 'This is not JSON, or it is nested too deeply.' }];
  return checkValue(type, value);
}

/** The same for a document that was read before. */
export function checkValue({ rules }: Pick<DocumentType, 'rules'>, value: LosslessJson): Warning[] {
  const warnings: Warning[] = [];
  const document = new DocumentPart(value);
  for (const rule of [...FOR_ALL, ...rules])
    for (const finding of rule(document)) {
      const warning = warningOf(finding);
      if (!warning) continue;
      if (warnings.length === WARNINGS_MAX) return warnings;
      warnings.push(warning);
    }
  return warnings;
}
