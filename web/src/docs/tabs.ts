import { element } from './element.ts';

const KEY = 'waybill.docs.language';

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

let made = 0;

export function makeTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('.tabs')) {
    const blocks = [...group.querySelectorAll<HTMLElement>(':scope > .code')];
    if (blocks.length < 2) continue;
    const id = `tabs-${++made}`;
    const list = element('div', { role: 'tablist', 'aria-label': 'Language' });
    const tabs = blocks.map((block, i) => {
      const name = block.dataset['label'] ?? '';
      const panel = element('div', { role: 'tabpanel', id: `${id}-${i}`, 'aria-label': name });
      block.replaceWith(panel);
      panel.append(block);
      const tab = element('button', { type: 'button', role: 'tab', 'aria-controls': panel.id }, name);
      tab.addEventListener('click', () => choose(name));
      return tab;
    });
    list.append(...tabs);
    list.addEventListener('keydown', (event) => moveFocus(event, tabs));
    group.prepend(list);
  }
  show(localStorage.getItem(KEY));
}

function choose(name: string): void {
  localStorage.setItem(KEY, name);
  show(name);
}

function show(name: string | null): void {
  for (const list of document.querySelectorAll('.tabs > [role=tablist]')) {
    const tabs = [...list.querySelectorAll<HTMLButtonElement>('[role=tab]')];
    const chosen = tabs.find((tab) => tab.textContent === name) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = tab !== chosen;
    }
  }
}

function moveFocus(event: KeyboardEvent, tabs: HTMLButtonElement[]): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const at = tabs.findIndex((tab) => tab.matches(':focus'));
  const next = tabs[(at + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
  event.preventDefault();
}
