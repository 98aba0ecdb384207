import { element } from './element.ts';

/** The button and the keys of the search, which is loaded on first use. */
export function addSearch(tools: Element): void {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  const button = element(
    'button',
    { type: 'button', class: 'find' },
    element('span', {}, 'Search'),
    element('kbd', {}, isMac ? '⌘K' : 'Ctrl K'),
  );
  button.setAttribute('aria-keyshortcuts', isMac ? 'Meta+K /' : 'Control+K /');
  const open = async () => (await import('./search.ts')).openSearch();
  button.addEventListener('click', () => void open());
  tools.append(button);
  document.addEventListener('keydown', (event) => {
    const isCommand = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey;
    const isSlash = event.key === '/' && !isTyping(event.target) && !event.metaKey && !event.ctrlKey && !event.altKey;
    if (!isCommand && !isSlash) return;
    event.preventDefault();
    void open();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
