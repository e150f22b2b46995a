// The import table of the architecture (docs/architecture.md). A folder may import what its row lists, and nothing else.
const rows = {
  kernel: [],
  contract: ["kernel"],
  tlog: [],
  verify: ["tlog"],
  "page-scripts": [],
  ledger: ["kernel", "contract", "tlog"],
  timestamp: ["kernel"],
  audit: ["ledger", "timestamp", "tlog", "contract", "kernel"],
  intake: ["ledger", "contract", "kernel"],
  review: ["ledger", "intake", "contract", "kernel"],
  method: ["contract", "kernel"],
  online: ["contract", "kernel"],
  snapshot: ["ledger", "method", "contract", "kernel"],
  resources: ["snapshot", "contract", "kernel"],
  render: ["resources", "contract", "kernel"],
  pictures: ["render", "contract", "kernel"],
  views: ["pictures", "render", "resources", "contract", "kernel"],
  state: ["contract", "kernel"],
  delivery: ["state", "resources", "contract", "kernel"],
  mcp: ["resources", "contract", "kernel"],
  server: ["state", "delivery", "resources", "views", "render", "tlog", "contract", "kernel"],
};

/** What scripts of pages may import beside each other: it runs in browsers. */
const SHARED_WITH_PAGES = { "page-scripts": "kernel/release-lateness\\.ts$" };

/** The wiring of the server, which alone knows what answers `/mcp`. */
const WIRING = "^src/server/main\\.ts$";

const allowedOnly = Object.entries(rows).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder} may import only: ${[folder, ...allowed].join(", ")}`,
  severity: "error",
  from: { path: `^src/${folder}/`, pathNot: WIRING },
  to: {
    path: "^(src|build-scripts)/",
    pathNot: [
      `^src/(${[folder, ...allowed].join("|")})/`,
      ...(folder in SHARED_WITH_PAGES ? [`^src/${SHARED_WITH_PAGES[folder]}`] : []),
    ],
  },
}));

export default {
  forbidden: [
    ...allowedOnly,
    {
      name: "server-wiring-imports",
      severity: "error",
      from: { path: WIRING },
      to: { path: "^(src|build-scripts)/", pathNot: `^src/(server|mcp|${rows.server.join("|")})/` },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphan-build-imports",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^build-scripts/" },
    },
    {
      name: "sqlite-only-in-stores",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(ledger|snapshot|state)/" },
      to: { path: "better-sqlite3" },
    },
    {
      name: "one-sqlite-in-a-process",
      comment:
        "Closing a file drops all locks that the process has on it; each copy of SQLite knows its own alone.",
      severity: "error",
      from: {},
      to: { path: "^(node:)?sqlite$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.test\\.ts$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
