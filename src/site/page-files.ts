/**
 * Styles and scripts that pages name: the compiler emits each as `assets/<name>.<hash>.<ending>` (astro.config.mjs), and a page
 * finds the file of its release by the name (site.ts). Paths are below the project.
 */

export const STYLES = {
  "every-page": "src/styles/every-page.css",
  forms: "src/styles/forms.css",
  home: "src/styles/home.css",
  pictures: "src/styles/pictures.css",
  record: "src/styles/record.css",
  reference: "src/styles/reference.css",
  verify: "src/styles/verify.css",
} as const;
export type StyleName = keyof typeof STYLES;

export const SCRIPTS = {
  "alert-link": "src/page-scripts/alert-link.ts",
  "copy-text": "src/page-scripts/copy-text.ts",
  "lazy-zoom": "src/page-scripts/lazy-zoom.ts",
  "near-position": "src/page-scripts/near-position.ts",
  "partner-portal": "src/page-scripts/partner-portal.ts",
  refine: "src/page-scripts/refine.ts",
  "report-form": "src/page-scripts/report-form.ts",
  "report-status": "src/page-scripts/report-status.ts",
  "search-box": "src/page-scripts/search-box.ts",
  "status-freshness": "src/page-scripts/status-freshness.ts",
  "subscribe-form": "src/page-scripts/subscribe-form.ts",
  verify: "src/proof/browser/page.ts",
} as const;
export type ScriptName = keyof typeof SCRIPTS;
