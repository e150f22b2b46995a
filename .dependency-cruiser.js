import { EXCEPTIONS, INNER_ROOMS, ROOMS, TEST_SUPPORT } from "./build-scripts/rooms.ts";

const exact = (path) => path.replaceAll(".", "\\.");
const inside = (names) => names.map((name) => (name.endsWith(".ts") ? exact(name) : `${name}/`)).join("|");

/** A rule for `from`, whose modules may import `allowed` of `src` alone. */
function onlyImports(name, from, allowed) {
  return {
    name,
    comment: `May import only: ${allowed.join(", ")}`,
    severity: "error",
    from,
    to: { path: "^(src|build-scripts|tests)/", pathNot: `^src/(${inside(allowed)})` },
  };
}

const rooms = Object.entries(ROOMS).map(([room, allowed]) =>
  onlyImports(`${room}-imports`, { path: `^src/${room}/`, pathNot: Object.keys(EXCEPTIONS).map(exact) }, [
    room,
    ...allowed,
  ]),
);

const exceptions = Object.entries(EXCEPTIONS).map(([file, more]) => {
  const room = Object.keys(ROOMS).findLast((name) => file.startsWith(`src/${name}/`)); // the innermost
  return onlyImports(`${file}-imports`, { path: `^${exact(file)}$` }, [room, ...ROOMS[room], ...more]);
});

const folder = (room, inner) => (inner === "." ? `^src/${room}/[^/]+$` : `^src/${room}/${inner}/`);

const innerRooms = Object.entries(INNER_ROOMS).flatMap(([room, inner]) =>
  Object.entries(inner).map(([name, allowed]) => ({
    name: `${room}/${name}-imports`,
    comment: `Of src/${room} it may import only: ${[name, ...allowed].join(", ")}`,
    severity: "error",
    from: { path: folder(room, name) },
    to: { path: `^src/${room}/`, pathNot: [name, ...allowed].map((other) => folder(room, other)) },
  })),
);

export default {
  forbidden: [
    ...rooms,
    ...exceptions,
    ...innerRooms,
    {
      name: "every-folder-is-a-room",
      comment: "A folder of src without a row in build-scripts/rooms.ts.",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${Object.keys(ROOMS).join("|")})/` },
      to: {},
    },
    {
      name: "testing-for-tests-only",
      comment: "Test support is reached by tests and by the developers' tools alone.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: `^${TEST_SUPPORT}/` },
    },
    {
      name: "scripts-of-pages-import-types",
      comment: "The contract's schemas stay out of the browser.",
      severity: "error",
      from: { path: "^src/site/scripts/" },
      to: { path: "^src/contract/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "web-checks-know-no-ledger",
      comment: "What asks strangers on the public web gets its subjects as plain data.",
      severity: "error",
      from: { path: "^src/operations/online/(?!online-checks)" },
      to: { path: "^src/", pathNot: "^src/(contract|kernel|operations/online)/" },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "sqlite-only-in-stores",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: `^src/((ledger|snapshot|state|desk)/|kernel/(database-file|sql|table)\\.ts$)`,
      },
      to: { path: "better-sqlite3" },
    },
    {
      name: "raw-ledger-inside-ledger",
      comment: "Other rooms use the named operations of LedgerWriter and LedgerReader.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/ledger/" },
      to: { path: "^src/ledger/database/(open-ledger|statements)\\.ts$" },
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
