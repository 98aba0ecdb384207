import { useEffect } from 'react';
import { visible } from './name.tsx';

let title = 'Waybill';
let unread = '';

function show(): void {
  document.title = `${unread === '' ? '' : `(${unread}) `}${visible(title)} · Waybill`;
}

export function usePageTitle(text: string): void {
  useEffect(() => {
    title = text;
    show();
  }, [text]);
}

/** The number of unread threads, before every title while mounted. Empty: none. */
export function useUnreadInTitle(count: string): void {
  useEffect(() => {
    unread = count;
    show();
    return () => {
      unread = '';
      show();
    };
  }, [count]);
}
