import { useEffect, useMemo, useState } from 'react';

function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  const [fits, setFits] = useState(media.matches);
  useEffect(() => {
    const onChange = () => setFits(media.matches);
    onChange();
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [media]);
  return fits;
}

/** Whether Tailwind's `md:` applies. */
export const useIsWide = (): boolean => useMedia('(min-width: 48rem)');

/** Whether Tailwind's `xl:` applies: there is room for a list and a thread side by side. */
export const useIsSplit = (): boolean => useMedia('(min-width: 80rem)');

/** Whether Tailwind's `lg:` applies: the navigation is beside the page. */
export const useIsNavBeside = (): boolean => useMedia('(min-width: 64rem)');
