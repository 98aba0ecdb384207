import { type Html, html } from '../../contract/html.ts';
import type { Parameter } from '../../http/openapi-parts.ts';
import type { Example } from './recorded-examples.ts';

/** Sessions are not used here, and the browser sets the other headers itself. */
const LEFT_OUT = ['Waybill-Business', 'If-None-Match', 'Accept'];

/** The form uses the reader's own key. It is hidden until its script is there. */
export function tryForm(method: string, path: string, parameters: Parameter[], example: Example | undefined): Html {
  const asked = parameters.filter(({ name }) => !LEFT_OUT.includes(name));
  const body = example?.request.body;
  return html`<form class="try" data-method="${method}" data-path="${path}" hidden>
<h2 id="try-it">Try it</h2>
<p class="soft">The request goes from your browser to this service. Your key stays in this tab until you close it.</p>
<label>Key<input name="key" type="password" autocomplete="off" spellcheck="false" placeholder="wb_…"></label>
${asked.map((parameter) => input(parameter, example))}
${body !== undefined && html`<label>Body<textarea name="body" rows="8" spellcheck="false" autocomplete="off">${JSON.stringify(body, null, 2)}</textarea></label>`}
${method !== 'GET' && html`<p class="soft">This request changes data of your business.</p>`}
<button type="submit">Send request</button>
<div class="result" role="status"></div>
</form>`;
}

function input({ name, in: place, required, schema }: Parameter, example: Example | undefined): Html {
  const label = html`${name}${required && html` <span class="required">required</span>`}`;
  if (schema.enum)
    return html`<label>${label}<select name="${name}" data-in="${place}"${required && ' required'}><option value=""></option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select></label>`;
  const shown = place === 'path' ? pathValue(name, example) : '';
  return html`<label>${label}<input name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"${required && ' required'}${shown !== '' && html` placeholder="${shown}"`}></label>`;
}

function pathValue(name: string, example: Example | undefined): string {
  return example?.request.path.split(/[/?]/).find((part) => name === 'id' && /^[a-z]+_/.test(part)) ?? '';
}
