/**
 * Styles and scripts that pages name: the compiler emits each as `assets/<name>.<hash>.<ending>` (astro.config.mjs), and a page
 * finds the file of its release by the name (site.ts). Paths are below the project.
 */

export const STYLES = {
  "every-page": "src/site/styles/every-page.css",
  forms: "src/site/styles/forms.css",
  home: "src/site/styles/home.css",
  pictures: "src/site/styles/pictures.css",
  record: "src/site/styles/record.css",
  reference: "src/site/styles/reference.css",
  verify: "src/site/styles/verify.css",
} as const;
export type StyleName = keyof typeof STYLES;

export const SCRIPTS = {
  "alert-link": "src/site/scripts/alert-link.ts",
  "copy-text": "src/site/scripts/copy-text.ts",
  "near-position": "src/site/scripts/near-position.ts",
  "open-map": "src/site/scripts/open-map.ts",
  "partner-portal": "src/site/scripts/partner-portal.ts",
  refine: "src/site/scripts/refine.ts",
  "report-form": "src/site/scripts/report-form.ts",
  "report-status": "src/site/scripts/report-status.ts",
  "search-box": "src/site/scripts/search-box.ts",
  "status-freshness": "src/site/scripts/status-freshness.ts",
  "subscribe-form": "src/site/scripts/subscribe-form.ts",
  verify: "src/proof/browser/page.ts",
} as const;
export type ScriptName = keyof typeof SCRIPTS;
