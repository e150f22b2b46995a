import { defineConfig } from "astro/config";

// `site` and the data come with each release (src/pages/…), so one configuration serves every build.
export default defineConfig({
  output: "static",
  trailingSlash: "always",
  build: { format: "directory", assets: "assets", inlineStylesheets: "never" },
  compressHTML: true,
  devToolbar: { enabled: false },
  cacheDir: "./var/astro-cache",
  markdown: { syntaxHighlight: false }, // it would write inline styles, which the pages forbid
  vite: { cacheDir: "./var/vite-cache", build: { assetsInlineLimit: 0 } },
});
