/** navigator.clipboard exists over HTTPS only; execCommand works without it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  // While a modal dialog is open, only text inside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
