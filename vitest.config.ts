import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SHARED_CACHES } from "./tests/support/towns/shared-caches.ts";

/** Unit tests that start programs, build the demonstration or wait for time limits: `npm test` runs them, `npm run check` does not. */
const LONG = [
  "tests/lab/attack/attack.test.ts",
  "build-scripts/compatibility/breaking-changes.test.ts",
  "src/build/compiled-pages.test.ts",
  "src/cli/commands/desk.test.ts",
  "src/cli/commands/verify.test.ts",
  "src/desk/desk-browser.test.ts",
  "src/operations/erasure/patch-process.test.ts",
  "src/operations/erasure/patch.test.ts",
  "src/operations/publish-incidents.test.ts",
  "src/resources/release-store.test.ts",
  "src/server/hot-reload.test.ts",
  "src/server/main.test.ts",
  "src/server/slow-clients.test.ts",
  "src/proof/tlog/proof.test.ts",
];

/** Unit tests that replace modules: whoever shares a process with them would get what they put there. */
const REPLACING = ["src/operations/erasure/take-out.test.ts"];

export default defineConfig(({ mode }) => ({
  test: {
    provide: { trial: mode === "trial" }, // see tests/support/trial.ts
    setupFiles: [
      "tests/support/no-network.ts",
      ...(mode === "trial" ? ["tests/support/trial-setup.ts"] : []),
    ],
    env: { NODE_COMPILE_CACHE: SHARED_CACHES.NODE_COMPILE_CACHE }, // for the threads that a test starts
    maxWorkers: Math.max(2, availableParallelism() - 1), // of two cores vitest itself would use one
    // These end only what hangs: on a machine with other work, a night of a test may take minutes.
    testTimeout: mode === "trial" ? 3_600_000 : 600_000,
    hookTimeout: mode === "trial" ? 3_600_000 : 600_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "build-scripts/**/*.test.ts", "tests/{lab,support}/**/*.test.ts"],
          exclude: ["src/state/**", ...LONG, ...REPLACING],
          isolate: false, // loading all modules anew for each file costs more than most of the tests
        },
      },
      { extends: true, test: { name: "long", include: LONG, isolate: false } },
      { extends: true, test: { name: "replacing", include: REPLACING } },
      {
        extends: true,
        // The same tests on SQLite and on PostgreSQL; see tests/support/state/stores.ts.
        test: {
          name: "state",
          include: ["src/state/**/*.test.ts"],
          isolate: false,
          globalSetup: ["tests/support/servers/postgres-setup.ts"],
        },
      },
      {
        extends: true,
        // One demonstration is built for all of these; see tests/support/towns/demo-home.ts.
        test: {
          name: "system",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/{lab,support}/**"],
          isolate: false, // commands run in the process of the test, which would load all of the program for each file
          globalSetup: ["tests/support/towns/global-setup.ts", "tests/support/servers/postgres-setup.ts"],
        },
      },
    ],
  },
}));
