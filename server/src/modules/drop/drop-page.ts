import { createHash } from 'node:crypto';
import { CONTRAST_MIN, contrastWithWhite, parseColour } from '../../contract/colour.ts';
import { invalid } from '../../contract/errors.ts';
import { LOGO_MAX_BYTES, LOGO_MAX_PIXELS_PER_SIDE } from '../../contract/limits.ts';
import type { Business } from '../../contract/parties.ts';
import { withoutUnseen } from '../../contract/visible-text.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './drop-page-store.ts';
import { imageIn } from './image.ts';

export interface DropPage {
  welcome: string;
  accent: string | null;
  logoHash: string | null;
}

const PLAIN: DropPage = { welcome: '', accent: null, logoHash: null };

export async function getDropPage(database: Database, { id }: Business): Promise<DropPage> {
  const row = await store.findDropPage(database.of(id), id);
  return row ? { welcome: row.welcome, accent: row.accent, logoHash: row.logo_hash } : PLAIN;
}

interface DropPageChange {
  welcome?: string;
  accent?: string | null;
  logo?: string | null;
}

export async function changeDropPage(database: Database, business: Business, change: DropPageChange): Promise<DropPage> {
  const { welcome, accent, logo } = change;
  const values: store.DropPageValues = {
    ...(welcome !== undefined && {
      welcome: welcome
        .split('\n')
        .map((line) => withoutUnseen(line))
        .join('\n')
        .trim(),
    }),
    ...(accent !== undefined && { accent: accent === null ? null : readableColour(accent) }),
    ...(logo !== undefined && { logo: logo === null ? null : logoIn(logo) }),
  };
  await database.of(business.id).transaction((tx) => store.saveDropPage(tx, business.id, values));
  return getDropPage(database, business);
}

function readableColour(text: string): string {
  const colour = parseColour(text);
  if (colour === undefined) throw invalid([{ path: '/accent', message: 'must be a colour such as #1f5fd0' }]);
  const contrast = contrastWithWhite(colour);
  if (contrast >= CONTRAST_MIN) return colour;
  const found = `${Math.floor(contrast * 10) / 10}:1`;
  throw invalid([
    { path: '/accent', message: `is too light for white text: its contrast is ${found}, at least ${CONTRAST_MIN}:1 is needed` },
  ]);
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The type is read from the bytes, because what the request claims can't be trusted. */
function logoIn(base64: string): store.Logo {
  const refuse = (message: string) => invalid([{ path: '/logo', message }]);
  const bytes = Buffer.from(base64, 'base64');
  const image = BASE64.test(base64) ? imageIn(bytes) : undefined;
  if (!image) throw refuse('must be a PNG, JPEG or WebP image in base64');
  if (bytes.length > LOGO_MAX_BYTES) throw refuse(`must have at most ${LOGO_MAX_BYTES} bytes`);
  const side = LOGO_MAX_PIXELS_PER_SIDE;
  if (image.width > side || image.height > side)
    throw refuse(`has ${image.width} × ${image.height} pixels; at most ${side} × ${side} are allowed`);
  return { bytes, type: image.type, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}

export function findLogo(database: Database, { id }: Pick<Business, 'id'>): Promise<store.Logo | undefined> {
  return store.findLogo(database.of(id), id);
}
