import { spawnSync } from "node:child_process";

/** `npm run verify`: every check of the project, cheap first; stops at the first that fails. Each is a script of package.json. */
const CHECKS = ["format", "types", "imports", "unused", "contract", "browser", "tests", "pages"] as const;

/** Fewer modules than this means that the tool did not see the sources, and its silence proves nothing. */
const MIN_MODULES = 250;

function runCheck(name: (typeof CHECKS)[number]): void {
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
  const modules = Number(/\((\d+) modules/.exec(output)?.[1] ?? 0);
  if (modules < MIN_MODULES)
    fail(`check:imports saw only ${modules} modules, at least ${MIN_MODULES} are expected`);
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

for (const name of CHECKS) runCheck(name);
