/** The types that have a form in UBL, so that a menu loads no code of UBL. A test compares them. */
export const UBL_NAMES: readonly string[] = ['order', 'invoice', 'credit.note'];
