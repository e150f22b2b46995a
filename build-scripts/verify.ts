import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

/** Every check of `npm test`, cheap first. `npm run check` names those of a minute. Each is a script of package.json. */
const ALL = ["format", "types", "imports", "unused", "contract", "browser", "pages", "tests"] as const;

/** Below this share of modules seen, the tool missed sources, and its silence proves nothing. */
const MIN_SHARE_SEEN = 0.95;

function runCheck(name: string): void {
  const startedAt = Date.now();
  process.stdout.write(`\n== ${name}\n`);
  const { status, stdout } = spawnSync("npm", ["run", "--silent", `check:${name}`], {
    stdio: ["ignore", name === "imports" ? "pipe" : "inherit", "inherit"],
    encoding: "utf8",
  });
  if (stdout) process.stdout.write(stdout);
  if (status !== 0) fail(`check:${name} failed`);
  if (name === "imports") assertModulesSeen(stdout);
  process.stdout.write(`== ${name}: ok, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function assertModulesSeen(output: string): void {
  const seen = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  const all = globSync(["src/**/*.ts", "build-scripts/**/*.ts"], { exclude: ["**/*.test.ts"] }).length;
  if (seen < all * MIN_SHARE_SEEN) fail(`check:imports saw ${seen} modules of at least ${all}`);
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : ALL) runCheck(name);
