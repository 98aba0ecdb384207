const COLOUR = /^#[0-9a-f]{6}$/;
export const COLOUR_CHARS = '#rrggbb'.length;
/** WCAG 2.2 AA for text of usual size. */
export const CONTRAST_MIN = 4.5;

export function parseColour(text: string): string | undefined {
  const colour = text.trim().toLowerCase();
  return COLOUR.test(colour) ? colour : undefined;
}

export function contrastWithWhite(colour: string): number {
  return 1.05 / (luminance(colour) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
