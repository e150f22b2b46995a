import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import node from "@astrojs/node";
import { defineConfig, passthroughImageService } from "astro/config";
import { SCRIPTS, STYLES } from "./src/site/page-files.ts";

/** Emits the styles and scripts that pages find in their release by name; no page has one by import. */
function pageFiles() {
  return {
    name: "page-files",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    buildStart() {
      for (const [name, path] of [...Object.entries(STYLES), ...Object.entries(SCRIPTS)])
        this.emitFile({ type: "chunk", name, id: fileURLToPath(new URL(path, import.meta.url)) });
    },
    // Astro deletes style sheets that nothing imports: a script that stays is said to need them.
    generateBundle: {
      order: "pre",
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const kept = files.find(({ type, name }) => type === "chunk" && name in SCRIPTS);
        for (const { fileName } of files)
          if (fileName.endsWith(".css")) kept.viteMetadata.importedAssets.add(fileName);
      },
    },
  };
}

/** Leaves `routes.json`: what the build renders (src/site/page-addresses.ts). */
function routeList() {
  let ours = [];
  return {
    name: "route-list",
    hooks: {
      "astro:routes:resolved": ({ routes }) => {
        ours = routes
          .filter(({ origin }) => origin === "project")
          .map(({ pattern, type }) => ({ pattern, type }));
      },
      "astro:build:done": ({ dir }) => writeFileSync(new URL("../routes.json", dir), JSON.stringify(ours)),
    },
  };
}

// The release and what is asked come with each page, as locals (src/env.d.ts): one bundle renders every release.
export default defineConfig({
  output: "server",
  adapter: node({ mode: "middleware", experimentalDisableStreaming: true }),
  trailingSlash: "always",
  session: false,
  integrations: [routeList()],
  build: { format: "directory", assets: "assets", inlineStylesheets: "never" },
  compressHTML: true,
  devToolbar: { enabled: false },
  image: { service: passthroughImageService() }, // pictures are made by the build, not by Astro
  cacheDir: "./var/astro-cache",
  markdown: { syntaxHighlight: false }, // it would write inline styles, which the pages forbid
  vite: {
    cacheDir: "./var/vite-cache",
    plugins: [pageFiles()],
    build: { assetsInlineLimit: 0 },
    // Their files are asked for as texts, which Node cannot load.
    environments: { ssr: { resolve: { noExternal: [/^@fontsource/] } } },
  },
});
