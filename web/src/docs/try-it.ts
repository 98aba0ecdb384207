import { number } from '../ui/format.ts';
import { addCopyButtons } from './copy.ts';
import { element } from './element.ts';

/** The key of an item in sessionStorage, which is gone when the tab is closed and which other tabs do not see. */
const KEY = 'waybill.docs.key';
const SHOWN_MAX_CHARS = 100_000;
const TIMEOUT_MS = 60_000;

export function enableTrying(): void {
  const form = document.querySelector<HTMLFormElement>('form.try');
  const key = form?.querySelector<HTMLInputElement>('[name=key]');
  if (!form || !key) return;
  key.value = sessionStorage.getItem(KEY) ?? '';
  key.addEventListener('input', () => sessionStorage.setItem(KEY, key.value.trim()));
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, key.value.trim());
  });
}

async function send(form: HTMLFormElement, key: string): Promise<void> {
  const button = form.querySelector('button');
  const result = form.querySelector<HTMLElement>('.result');
  if (!button || !result) return;
  button.disabled = true;
  result.replaceChildren(element('p', {}, 'Sending…'));
  const begunAt = performance.now();
  try {
    const response = await fetch(...requestOf(form, key));
    const text = (await response.text()).slice(0, SHOWN_MAX_CHARS);
    show(result, response, text, Math.round(performance.now() - begunAt));
  } catch {
    result.replaceChildren(element('p', { class: 'bad' }, 'No response. The service is away, or the response comes from another site.'));
  } finally {
    button.disabled = false;
  }
}

/** The request has no cookies, so that it has the rights of the key and not of the signed-in person. */
function requestOf(form: HTMLFormElement, key: string): [url: string, init: RequestInit] {
  const { method = 'GET', path = '' } = form.dataset;
  const url = new URL(location.origin);
  url.pathname = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(pathValue(form, name)));
  const headers = new Headers();
  if (key !== '') headers.set('authorization', `Bearer ${key}`);
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')) {
    if (field.value === '') continue;
    if (field.dataset['in'] === 'query') url.searchParams.set(field.name, field.value);
    if (field.dataset['in'] === 'header') headers.set(field.name, field.value);
  }
  const body = form.elements.namedItem('body');
  const hasBody = body instanceof HTMLTextAreaElement;
  if (hasBody) headers.set('content-type', 'application/json');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return [url.href, { method, headers, credentials: 'omit', cache: 'no-store', signal, ...(hasBody && { body: body.value }) }];
}

function pathValue(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement>(`[data-in=path][name="${name}"]`)?.value ?? '';
}

function show(result: HTMLElement, response: Response, text: string, tookMs: number): void {
  const verdict = element('p', { class: response.ok ? 'good' : 'bad' }, `${response.status} · ${number(tookMs)} ms`);
  const id = element('p', { class: 'soft' }, `Request id: ${response.headers.get('x-request-id') ?? 'none'}`);
  const figure = element(
    'figure',
    { class: 'code', 'data-label': 'Response' },
    element('figcaption', {}, 'Response'),
    element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Response' }, element('code', {}, indented(text))),
  );
  result.replaceChildren(verdict, id, ...(text === '' ? [] : [figure]));
  addCopyButtons(result);
}

/** Indents JSON, if that changes none of its values. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
