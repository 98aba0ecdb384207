import { Type } from 'typebox';
import { invalid } from './errors.ts';
import { TYPE_MAX_CHARS } from './limits.ts';

export const typeParams = Type.Object({
  type: Type.String({ minLength: 1, maxLength: TYPE_MAX_CHARS, description: 'The `type` of messages.' }),
});

/** Whether a message can have this text as its `type`. */
export function isMessageType(text: string): boolean {
  return text !== '' && [...text].length <= TYPE_MAX_CHARS && !text.includes('\0') && text.isWellFormed();
}

export function checkedType(text: string): string {
  if (isMessageType(text)) return text;
  throw invalid([{ path: '/type', message: `must be the type of a message: 1 to ${TYPE_MAX_CHARS} characters, without U+0000` }]);
}
