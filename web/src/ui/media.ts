import { useEffect, useMemo, useState } from 'react';

const WIDE = '(min-width: 48rem)';

/** Whether Tailwind's `md:` applies, for values that are needed in code. */
export function useIsWide(): boolean {
  const media = useMemo(() => matchMedia(WIDE), []);
  const [isWide, setWide] = useState(media.matches);
  useEffect(() => {
    const onChange = () => setWide(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [media]);
  return isWide;
}
