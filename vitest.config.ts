import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    provide: { trial: mode === "trial" }, // see src/testing/trial.ts
    setupFiles: mode === "trial" ? ["src/testing/trial-setup.ts"] : [],
    maxWorkers: Math.max(2, availableParallelism() - 1), // of two cores vitest itself would use one
    testTimeout: 60_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "build-scripts/**/*.test.ts"],
          exclude: ["src/state/**"],
          isolate: false, // loading all modules anew for each file costs more than most of the tests
        },
      },
      {
        extends: true,
        // The same tests on SQLite and on PostgreSQL; see src/testing/state/stores.ts.
        test: {
          name: "state",
          include: ["src/state/**/*.test.ts"],
          globalSetup: ["src/testing/servers/postgres-setup.ts"],
        },
      },
      {
        extends: true,
        // One demonstration is built for all of these; see src/testing/towns/demo-home.ts.
        test: {
          name: "system",
          include: ["tests/**/*.test.ts"],
          globalSetup: ["src/testing/towns/global-setup.ts", "src/testing/servers/postgres-setup.ts"],
        },
      },
    ],
  },
}));
