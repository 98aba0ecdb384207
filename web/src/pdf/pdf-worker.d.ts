/** The parser, which has no types of its own: it is only handed on. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs';
