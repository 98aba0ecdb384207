import path from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the service serves itself while Vite serves the pages. */
export const SERVICE_PATHS =
  '^/(v1|auth|log|docs|docs\\.md|objects|mail|mcp|dev|healthz|readyz|metrics|openapi\\.json|llms\\.txt|(@[^/]+/)?\\.well-known)(?=[/?]|$)';

export default defineConfig({
  root: import.meta.dirname,
  // Not in node_modules, which several checkouts may share.
  cacheDir: path.join(import.meta.dirname, '.vite'),
  plugins: [react(), tailwind()],
  // A placeholder: the server puts a new nonce into each page (modules/web).
  html: { cspNonce: 'NONCE' },
  build: {
    target: 'es2024',
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    // A test checks the compressed sizes.
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    // One file for icons, shared components and what they are made with: many files of a few hundred bytes load slower and compress worse.
    rolldownOptions: {
      output: {
        advancedChunks: {
          groups: [
            {
              name: 'ui',
              minShareCount: 2,
              test: /lucide-react|@tanstack\/(react-query|query-core|react-router)|web\/src\/ui\/(?!chart|attachments|long-list|scrolled-list|picker|options|commands|days|calendar|date-field|secret-dialog|choice)/,
            },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  // The pages import from server/src/contract, and packages are installed in the project's folder.
  server: { fs: { allow: [path.resolve(import.meta.dirname, '..')] } },
});
