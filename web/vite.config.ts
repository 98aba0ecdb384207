import path from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The chunks that pages share: icons, shared components and their libraries, the common code of a thread and its list, and code that pages
 * for reading do not need.
 */
const SHARED: Record<string, RegExp[]> = {
  ui: [
    /lucide-react|@tanstack\/(react-query|query-core|react-router)(?!.*useBlocker)/,
    /web\/src\/(keys-of|frame\/pages|api\/(live|desktop|limits|role)|parts\/domain-proof|json\/formatted)/,
    /web\/src\/ui\/(?!chart|attachments|long-list|scrolled-list|picker|options|days|calendar|date-field|secret-dialog|choice|form\.|use-form|leave-guard|last-known|qr-code)/,
  ],
  threads: [
    /web\/src\/(pages\/messages\/(use-writing|draft|preview-kind|thread-messages|acknowledgement-operations|work\/thread-cache)|parts\/(threads|type-badge|colleague-mark)|json\/(parse|tree|rows|preview|wrapped|verdict))/,
  ],
  forms: [/web\/src\/ui\/(form|use-form|leave-guard|last-known)\.|useBlocker/],
};
const sharedFiles = Object.entries(SHARED).map(([name, tests]) => ({
  name,
  minShareCount: 2,
  test: (id: string) => tests.some((test) => test.test(id)),
}));
/** Every page loads it with the router. Without a chunk of its own, it would bring along all that pages of threads share. */
const views = { name: 'views', test: /web\/src\/parts\/threads\/views/, priority: 1 };

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
    // A few files for what pages share: many files of a few hundred bytes load slower and compress worse.
    rolldownOptions: { output: { advancedChunks: { groups: [views, ...sharedFiles] } } },
  },
  worker: { format: 'es' },
  // The pages import from server/src/contract, and packages are installed in the project's folder.
  server: { fs: { allow: [path.resolve(import.meta.dirname, '..')] } },
});
