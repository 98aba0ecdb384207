/** Twice the shown size, for sharp screens. */
const SIDE_PX = 192;
const BYTES_MAX = 40 * 1024;

/** An image as base64, made smaller until it fits. Undefined: the browser can't read it. */
export async function logoOf(file: File): Promise<string | undefined> {
  let image: ImageBitmap;
  try {
    image = await createImageBitmap(file);
  } catch {
    return undefined;
  }
  for (let side = SIDE_PX; side >= 24; side /= 2) {
    const logo = await drawn(image, side);
    if (logo !== undefined && logo.size <= BYTES_MAX) return base64Of(logo);
  }
  return undefined;
}

async function drawn(image: ImageBitmap, side: number): Promise<Blob | undefined> {
  const scale = Math.min(1, side / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(image.width * scale)), Math.max(1, Math.round(image.height * scale)));
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/png' });
}

async function base64Of(blob: Blob): Promise<string> {
  let binary = '';
  for (const byte of new Uint8Array(await blob.arrayBuffer())) binary += String.fromCharCode(byte);
  return btoa(binary);
}
