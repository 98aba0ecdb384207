import { useState } from 'react';

/** The value, or while it is undefined the last one that was not. */
export function useLastKnown<Value>(value: Value | undefined): Value | undefined {
  const [known, setKnown] = useState(value);
  if (value !== undefined && value !== known) setKnown(value);
  return value === undefined ? known : value;
}
