/**
 * Draws a PDF in a frame without an origin. Even if a PDF takes control of the reader, the frame can read nothing of the app and connect to
 * nothing. The app sends the bytes, and receives only one word.
 */
import { getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import * as pdfjsWorker from 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { number } from '../ui/format.ts';

// A document without an origin can load no worker, so the parser runs here. Browsers give such frames their own process.
Object.assign(globalThis, { pdfjsWorker });

const PAGES_MAX = 20;
const PIXELS_MAX = 4_000_000;
const TEXT_MAX_CHARS = 20_000;
const MARGIN_PX = 8;

const tell = (word: 'ready' | 'shown' | 'failed') => parent.postMessage(word, '*');

async function show(bytes: ArrayBuffer): Promise<void> {
  const pdf = await getDocument({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    // No WebAssembly, and nothing is loaded.
    useWasm: false,
    useWorkerFetch: false,
    useSystemFonts: true,
    disableFontFace: false,
    enableXfa: false,
    maxImageSize: PIXELS_MAX * 4,
  }).promise;
  for (let number = 1; number <= Math.min(pdf.numPages, PAGES_MAX); number++) {
    await draw(pdf, await pdf.getPage(number));
    if (number === 1) tell('shown');
  }
  if (pdf.numPages > PAGES_MAX) say(`The first ${PAGES_MAX} of ${number(pdf.numPages)} pages. Download the file to see all.`);
}

async function draw(pdf: PDFDocumentProxy, page: PDFPageProxy): Promise<void> {
  const { width, height } = page.getViewport({ scale: 1 });
  const shownWidth = Math.min(document.documentElement.clientWidth - 2 * MARGIN_PX, 900);
  const wanted = (shownWidth / width) * Math.min(devicePixelRatio, 2);
  const viewport = page.getViewport({ scale: Math.min(wanted, Math.sqrt(PIXELS_MAX / (width * height))) });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  Object.assign(canvas.style, { display: 'block', width: `${shownWidth}px`, margin: `${MARGIN_PX}px auto`, background: 'white' });
  canvas.setAttribute('role', 'img');
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
  canvas.setAttribute('aria-label', `Page ${page.pageNumber} of ${pdf.numPages}. ${text.slice(0, TEXT_MAX_CHARS)}`);
  document.body.append(canvas);
  await page.render({ canvas, viewport, annotationMode: 0 }).promise;
  page.cleanup();
}

function say(sentence: string): void {
  const line = document.createElement('p');
  line.textContent = sentence;
  Object.assign(line.style, { font: '14px sans-serif', textAlign: 'center', padding: '8px', margin: '0' });
  document.body.append(line);
}

document.body.style.margin = '0';
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !(data instanceof ArrayBuffer)) return;
  show(data).catch(() => tell('failed'));
});
tell('ready');
