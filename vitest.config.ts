import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["src/**/*.test.ts", "build-scripts/**/*.test.ts"] },
      },
      {
        extends: true,
        // One demonstration is built for all of these; see tests/support/demo-home.ts.
        test: {
          name: "system",
          include: ["tests/**/*.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
    ],
  },
});
