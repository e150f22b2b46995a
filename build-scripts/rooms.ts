/**
 * The rooms of `src` from the bottom up, and what each may import besides itself: rooms before it alone (docs/architecture.md, section 3).
 * dependency-cruiser applies the table to TypeScript (`.dependency-cruiser.js`), `astro-imports.ts` to Astro files. A room with rooms in it that
 * stand at different heights has a row for each of them: the ledger is built on the formats of `proof`, and the audit on the ledger. The scripts of
 * `site` run in browsers.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  contract: ["kernel"],
  "proof/tlog": [],
  "proof/browser": ["proof/tlog"],
  "site/scripts": ["contract"], // types only; for browsers
  ledger: ["proof/tlog", "contract", "kernel"],
  "proof/timestamp": ["kernel"],
  "proof/audit": ["ledger", "proof/timestamp", "proof/tlog", "contract", "kernel"],
  independence: ["contract", "kernel"],
  intake: ["independence", "ledger", "contract", "kernel"],
  review: ["intake", "ledger", "contract", "kernel"],
  method: ["contract", "kernel"],
  snapshot: ["ledger", "method", "contract", "kernel"],
  resources: ["snapshot", "independence", "contract", "kernel"],
  mcp: ["resources", "contract", "kernel"],
  render: ["resources", "contract", "kernel"],
  pictures: ["render", "contract", "kernel"],
  site: ["pictures", "render", "mcp", "resources", "proof/browser", "proof/tlog", "contract", "kernel"], // of proof/browser, the address of a check
  components: ["site", "resources", "pictures", "render", "contract", "kernel"],
  pages: ["components", "proof/browser", "site", "pictures", "render", "resources", "contract", "kernel"],
  state: ["contract", "kernel"],
  accounts: ["state", "resources", "contract", "kernel"],
  activity: ["state", "mcp", "site", "resources", "contract", "kernel"],
  server: [
    "site",
    "accounts",
    "activity",
    "mcp",
    "state",
    "render",
    "resources",
    "proof/tlog",
    "contract",
    "kernel",
  ],
  desk: ["server", "activity", "render", "contract", "kernel"], // no ledger, no review: of the queue it knows what is in the view
  build: [
    "site",
    "proof/audit",
    "pictures",
    "render",
    "resources",
    "snapshot",
    "intake",
    "ledger",
    "proof/tlog",
    "contract",
    "kernel",
  ],
  operations: [
    "site",
    "build",
    "desk",
    "activity",
    "accounts",
    "state",
    "review",
    "proof/audit",
    "render",
    "resources",
    "snapshot",
    "method",
    "intake",
    "independence",
    "ledger",
    "proof/timestamp",
    "proof/tlog",
    "contract",
    "kernel",
  ],
  demo: ["operations", "build", "review", "intake", "ledger", "snapshot", "contract", "kernel"],
  cli: [
    "demo",
    "operations",
    "build",
    "desk",
    "server",
    "activity",
    "accounts",
    "state",
    "review",
    "proof/audit",
    "resources",
    "method",
    "intake",
    "ledger",
    "proof/timestamp",
    "proof/tlog",
    "contract",
    "kernel",
  ],
};

/** What one room's inner rooms may import of their own room; "." is the folder's own files. Siblings that are not named are closed. */
export const INNER_ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  build: {
    ".": ["figures", "stages", "mend"],
    ledger: ["."],
    changes: ["figures"],
    figures: [],
    judge: ["figures"],
    mend: [],
    stages: [".", "changes", "figures", "judge", "ledger", "mend"],
  },
  operations: {
    ".": ["backup"], // no checkpoint is published before it is backed up
    audit: ["."],
    backup: ["."],
    desk: ["."],
    doctor: [".", "backup", "inbox"],
    erasure: [".", "backup", "desk", "inbox"],
    find: ["."],
    inbox: ["."],
    night: [".", "desk", "erasure", "inbox", "online"],
    online: ["."],
    releases: [".", "backup"],
    replay: [".", "audit"],
    revisit: ["."],
  },
};

/** Single files that may import more than their room. */
export const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  "src/desk/crossing.ts": ["review/queue/model.ts"], // the queue as data, which imports nothing
  "src/site/scripts/form-fields.ts": ["kernel"], // one sentence for errors, which imports nothing
  "src/site/scripts/city-map.ts": ["kernel"], // days in words
  "src/site/scripts/map-cells.ts": ["kernel"], // likewise
  "src/site/scripts/partner-portal.ts": ["kernel"], // likewise
  "src/site/scripts/report-status.ts": ["kernel"], // likewise
  "src/site/scripts/status-freshness.ts": ["kernel"], // one function of lateness, which imports nothing
};

/** Reached by tests and by the developers' tools of `build-scripts` alone. */
export const TEST_SUPPORT = "tests/support";
