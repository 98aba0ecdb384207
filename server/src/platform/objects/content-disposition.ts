import { withoutUnseen } from '../../contract/visible-text.ts';

const NAME_MAX_CHARS = 150;
const ENDING_MAX_CHARS = 20;

/** Characters that need no escape in RFC 8187. */
const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;

/** The header is always an attachment (RFC 6266), with an ASCII name for old clients and the real one in the encoding of RFC 8187. */
export function attachmentDisposition(filename: string): string {
  const name = harmlessName(filename);
  const plain = name.replace(/[^ -~]|["\\%]/gu, '_');
  const encoded = [...Buffer.from(name, 'utf8')].map((byte) => {
    const character = String.fromCharCode(byte);
    return ATTR_CHAR.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded.join('')}`;
}

/** A safe name for saving: no path, no invisible or bidi control characters, not too long. */
export function harmlessName(filename: string): string {
  const visible = withoutUnseen(shortened(filename.split(/[\\/]/).at(-1) ?? ''), '_').trim();
  if (/^\.*$/.test(visible)) return 'file';
  const characters = [...visible];
  if (characters.length <= NAME_MAX_CHARS) return visible;
  const dot = characters.lastIndexOf('.');
  const ending = dot > 0 && characters.length - dot <= ENDING_MAX_CHARS ? characters.slice(dot) : [];
  return [...characters.slice(0, NAME_MAX_CHARS - ending.length), ...ending].join('');
}

/** Returns the beginning and the end of a long name: names of thousands of characters take long to search, and a message can have many. */
function shortened(name: string): string {
  const [beginning, end] = [4 * NAME_MAX_CHARS, 4 * ENDING_MAX_CHARS];
  return name.length <= beginning + end ? name : (name.slice(0, beginning) + name.slice(-end)).toWellFormed();
}

/** A browser could run these types as scripts, so they are served as plain bytes. */
const ACTIVE =
  /^(text\/(html|xml|xsl|javascript)|application\/(xhtml\+xml|xml|javascript|ecmascript|x-javascript)|image\/svg\+xml|multipart\/)|\+xml\b/i;

export function harmlessType(contentType: string): string {
  return ACTIVE.test(contentType.trim()) ? 'application/octet-stream' : contentType;
}
