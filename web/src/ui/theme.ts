const KEY = 'waybill.theme';

export type Theme = 'system' | 'light' | 'dark';

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme = chosenTheme()): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset['theme'] = theme;
}
