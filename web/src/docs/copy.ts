import { element } from './element.ts';

const SHOWN_MS = 1_500;

export function addCopyButtons(within: ParentNode = document): void {
  for (const caption of within.querySelectorAll('.code figcaption')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.setAttribute('aria-label', `Copy ${caption.textContent}`);
    button.addEventListener('click', () => void copy(button));
    caption.append(button);
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code')?.querySelector('pre')?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = 'Copied';
  } catch {
    // The clipboard needs HTTPS and permission.
    button.textContent = 'Select and copy';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
