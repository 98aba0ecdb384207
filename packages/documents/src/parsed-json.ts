import { type LosslessJson, parseLossless } from '@waybill/client';

/** Undefined: the text is no JSON, or it is nested too deeply. */
export function parsedJson(text: string): LosslessJson | undefined {
  try {
    return parseLossless(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
