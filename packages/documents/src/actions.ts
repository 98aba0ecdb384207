import { type ActionInfo, listActions, type Reader } from './actions/action-list.ts';
import {
  confirmation,
  creditNote,
  despatch,
  dispute,
  goodsReceipt,
  invoice,
  order,
  orderChange,
  type Prefill,
  quote,
  rejection,
  remittance,
} from './actions/prefill.ts';
import { SourceDocument, numberIn as textOf } from './actions/source-document.ts';

export { type Acknowledgement, type ActionInfo, acknowledgementOf, listActions, type Reader } from './actions/action-list.ts';
export type { Filling } from './actions/fill.ts';
export type { Prefill } from './actions/prefill.ts';

/** What somebody can do with a document, with the reply to begin with. */
export interface DocumentAction extends ActionInfo {
  /** Null without a reply. */
  prefill: Prefill | null;
}

/** The replies, by the ids of their actions, to a document of a type. */
function prefillsFor(type: string): ReadonlyMap<string, Prefill> {
  const source = type === 'order.change' ? type : 'order';
  return new Map([
    ['quote', quote],
    ['order', order],
    ['confirm', confirmation(source, 'accepted')],
    ['confirm-with-changes', confirmation(source, 'changed')],
    ['reject', rejection(source)],
    ['change-order', orderChange],
    ['create-despatch', despatch(type)],
    ['create-invoice', invoice(type)],
    ['confirm-receipt', goodsReceipt],
    ['dispute', dispute],
    ['create-remittance', remittance],
    ['create-credit-note', creditNote],
  ]);
}

/** `listActions` with the replies. */
export function documentActions(type: string | null, reader: Reader, hasJson: boolean): readonly DocumentAction[] {
  const prefills = prefillsFor(type ?? '');
  return listActions(type, reader, hasJson).map((action) => ({
    ...action,
    prefill: action.type === null ? null : (prefills.get(action.id) ?? null),
  }));
}

/** The lines that an action can be about, by their places in the list. */
export function documentLines(json: string): { place: number; id: string | undefined; name: string | undefined }[] {
  return new SourceDocument(json).lines.map(({ place, values }) => ({
    place,
    id: textOf(values, 'id'),
    name: textOf(values, 'name'),
  }));
}
