/** How the browser pages are built: into dist, with the public prefix left open for the gateway to fill in. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/__SLURMWEB_BASE__/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy forbids inline scripts, and the polyfill is one.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
