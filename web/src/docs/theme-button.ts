import { applyTheme } from '../ui/theme.ts';
import { element } from './element.ts';

export function addThemeButton(tools: Element): void {
  const button = element('button', { type: 'button', class: 'theme', 'aria-label': 'Change between light and dark' }, '◐');
  button.addEventListener('click', () => applyTheme(isDark() ? 'light' : 'dark'));
  tools.append(button);
}

function isDark(): boolean {
  const theme = document.documentElement.dataset['theme'];
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
