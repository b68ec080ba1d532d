// The dashboard as files: built into dist/web, which the gateway serves. Addresses are relative, so that it
// works behind any path; `npm run dev:web` serves it with the API of a gateway on the default port.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const GATEWAY = process.env.TUTTI_GATEWAY ?? "http://127.0.0.1:7878";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    reportCompressedSize: false,
    // A strict content security policy takes no data: addresses for scripts and fonts; small files are files too.
    assetsInlineLimit: 0,
    // On a busy machine it would tell how long plugins took.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { "/v1": GATEWAY } },
});
