/** The parser has no types, and is only passed on. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs';
