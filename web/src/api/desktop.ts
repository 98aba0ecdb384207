const KEY = 'waybill.desktop';

/** Whether this browser shows notifications on the desktop. They need a page that listens while it is hidden. */
export const isDesktopOn = (): boolean =>
  'Notification' in globalThis && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on';

export const keepDesktop = (to: 'on' | 'off'): void => localStorage.setItem(KEY, to);
