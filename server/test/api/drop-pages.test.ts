import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOGO_MAX_BYTES, LOGO_MAX_PIXELS_PER_SIDE, WELCOME_MAX_CHARS } from '../../src/contract/limits.ts';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: MemberApi;
beforeAll(async () => {
  service = await startTestService();
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
});
afterAll(() => service.stop());

const PLAIN = { welcome: '', accent: null, logo_path: null };
const change = (body: object, api = owner) => api.patch('/business/drop-page', body);
const shown = async () => (await service.anonymous.get('/public/tailor/drop-page')).body;

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
}

function png(width: number, height: number, padding = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(8))),
    chunk('IEND', Buffer.alloc(padding)),
  ]);
}

const jpeg = (width: number, height: number) => {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]), frame, Buffer.from([0xff, 0xd9])]);
};
const webp = (width: number, height: number) => {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WEBPVP8X', 8, 'latin1');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
};
const base64 = (bytes: Buffer) => bytes.toString('base64');

describe('a drop page', () => {
  test('shows what its business has chosen, and the rest stays', async () => {
    expect((await owner.get('/business/drop-page')).body).toEqual(PLAIN);
    expect(await shown()).toEqual(PLAIN);
    expect((await change({ welcome: '  Suits since 1911 ' })).body).toEqual({ ...PLAIN, welcome: 'Suits since 1911' });
    expect((await change({ welcome: 'Suits\u202e\r\nsince 1911' })).body.welcome).toBe('Suits\nsince 1911');
    await change({ welcome: 'Suits since 1911' });
    expect((await change({ accent: '#1F5FD0' })).body).toEqual({ ...PLAIN, welcome: 'Suits since 1911', accent: '#1f5fd0' });
    expect(await shown()).toEqual((await owner.get('/business/drop-page')).body);
    expect((await change({ welcome: '', accent: null })).body).toEqual(PLAIN);
    expectRefusal(await service.anonymous.get('/public/nobody-here/drop-page'), 'not_found');
  });

  test('is changed by admins only', async () => {
    const member = await joinedBy(service, owner, 'ben@tailor-works.test', 'member');
    expectRefusal(await change({ welcome: 'x' }, member), 'forbidden');
    expect((await member.get('/business/drop-page')).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['a colour that is none', { accent: 'blue' }, 'accent'],
    ['a colour in other words', { accent: '#fff' }, 'accent'],
    ['a colour on which white can’t be read', { accent: '#ffd700' }, 'accent'],
    ['too much text', { welcome: 'x'.repeat(WELCOME_MAX_CHARS + 1) }, 'welcome'],
    ['NUL', { welcome: '\u0000' }, 'welcome'],
    ['a logo that is no base64', { logo: '<svg/>' }, 'logo'],
    ['an SVG', { logo: base64(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')) }, 'logo'],
    ['HTML that begins like a GIF', { logo: base64(Buffer.from('GIF89a<script>alert(1)</script>')) }, 'logo'],
    ['an image without height', { logo: base64(png(100, 0)) }, 'logo'],
    ['an image with too many pixels', { logo: base64(png(LOGO_MAX_PIXELS_PER_SIDE + 1, 1)) }, 'logo'],
    ['a JPEG with too many pixels', { logo: base64(jpeg(10, 65_000)) }, 'logo'],
    ['a WebP with too many pixels', { logo: base64(webp(16_000, 16_000)) }, 'logo'],
    ['an image with too many bytes', { logo: base64(png(10, 10, LOGO_MAX_BYTES)) }, 'logo'],
    ['half an image', { logo: base64(png(10, 10).subarray(0, 20)) }, 'logo'],
  ])('refuses %s', async (_name, body, field) => {
    expectInvalid(await change(body), field);
    expect(await shown()).toEqual(PLAIN);
  });
});

describe('a logo', () => {
  test.each([
    ['image/png', png(64, 64)],
    ['image/jpeg', jpeg(64, 64)],
    ['image/webp', webp(64, 64)],
  ])('of type %s is served as it is, and can do no harm', async (type, bytes) => {
    const { status, body, text } = await change({ logo: base64(bytes) });
    expect(status, text).toBe(200);
    const response = await fetch(service.url + body.logo_path);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    // Any other address of the logo is not cached forever.
    const other = await fetch(`${service.url}/v1/public/tailor/logo?v=old`);
    expect(other.headers.get('cache-control')).toBe('no-cache');
  });

  test('is gone once it is removed', async () => {
    const { logo_path } = (await change({ logo: base64(png(8, 8)) })).body;
    expect((await change({ logo: null })).body).toEqual(PLAIN);
    expect((await fetch(service.url + logo_path)).status).toBe(404);
  });
});
