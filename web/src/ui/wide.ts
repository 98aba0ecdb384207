import { useEffect, useMemo, useState } from 'react';

const WIDE = '(min-width: 48rem)';

/** Whether there is room for rows of one line: what `md:` means, for what has to be known as a number. */
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
