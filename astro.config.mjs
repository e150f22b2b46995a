import { renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, passthroughImageService } from "astro/config";

/**
 * Astro compiles the pages and renders none: src/page-renderer.ts becomes a program of its own, left in `renderer/` beside the
 * output folder. The build runs it for every release (src/build/stages/page-worker.ts), without compiling anything again.
 * An adapter that resolves its own entry is Astro's way to have one.
 */
function compileOnly() {
  let outDir;
  return {
    name: "compile-only",
    hooks: {
      "astro:config:done": ({ config, setAdapter }) => {
        outDir = config.outDir;
        setAdapter({
          name: "compile-only",
          entrypointResolution: "auto",
          adapterFeatures: { buildOutput: "static" },
          supportedAstroFeatures: { staticOutput: "stable" },
        });
      },
      "astro:build:setup": ({ updateConfig }) => {
        const input = { "prerender-entry": fileURLToPath(new URL("src/page-renderer.ts", import.meta.url)) };
        updateConfig({ environments: { prerender: { build: { rolldownOptions: { input } } } } });
      },
      "astro:build:start": ({ setPrerenderer }) =>
        setPrerenderer({
          name: "compile-only",
          setup: () => renameSync(new URL(".prerender/", outDir), new URL("../renderer/", outDir)),
          getStaticPaths: () => [],
          render: () => Promise.reject(new Error("pages are rendered by the build")),
        }),
    },
  };
}

// `site` and the data come with each release (src/pages/…), so one configuration serves every build.
export default defineConfig({
  output: "static",
  trailingSlash: "always",
  integrations: [compileOnly()],
  build: { format: "directory", assets: "assets", inlineStylesheets: "never" },
  compressHTML: true,
  devToolbar: { enabled: false },
  image: { service: passthroughImageService() }, // pictures are made by the build, not by Astro
  cacheDir: "./var/astro-cache",
  markdown: { syntaxHighlight: false }, // it would write inline styles, which the pages forbid
  vite: {
    cacheDir: "./var/vite-cache",
    build: { assetsInlineLimit: 0 },
    // Their files are asked for as addresses and texts, which Node cannot load.
    environments: { prerender: { resolve: { noExternal: [/^@fontsource/] } } },
  },
});
