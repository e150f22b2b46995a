import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, homePaths } from "../kernel/home.ts";
import { silentLog } from "../kernel/log.ts";
import { createLedger } from "../ledger/database/create.ts";
import { assertSecretsClosed, readableSecrets } from "./readable-secrets.ts";

let home: Home;
let warned: string[];
const log = { ...silentLog, error: (event: string) => void warned.push(event) };

beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "secrets-")));
  warned = [];
  mkdirSync(home.keys, { recursive: true });
});
afterEach(() => rmSync(home.root, { recursive: true }));

function start(serverSecrets: "refuse" | "warn" | "allow", environment?: "production" | "demo"): void {
  assertSecretsClosed({ config: { serverSecrets }, home, environment, log });
}

test("a server that can read nothing of it starts", () => {
  expect(readableSecrets(home)).toEqual([]);
  start("refuse", "production");
});

test.each([
  "ledger.db",
  "keys/production.signing.json",
  "keys/production.manifest.json",
  "keys/production.intake.json",
])("one that may read %s does not", (name) => {
  const path = join(home.night, name);
  writeFileSync(path, "");
  expect(() => start("refuse", "production")).toThrow(
    `the server may read ${path}: run it as a user of its own`,
  );
  expect(() => start("refuse", undefined)).toThrow("SERVER_SECRETS");
  start("warn", "production");
  expect(warned).toEqual(["secrets_open_to_server"]);
  start("allow", "production");
  start("refuse", "demo");
  expect(warned).toHaveLength(1);
});

const isRoot = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;

test.skipIf(!isRoot)("another user may read none of what init makes (needs root and setpriv)", () => {
  const { root, ledger, keys } = home;
  chmodSync(root, 0o755);
  rmSync(keys, { recursive: true });
  createLedger(ledger, {
    environment: "production",
    origin: "example.org/real",
    keysDir: keys,
    clock: () => 0,
  });
  const program = `
    import { readableSecrets } from ${JSON.stringify(new URL("./readable-secrets.ts", import.meta.url).href)};
    console.log(JSON.stringify(readableSecrets({ ledger: ${JSON.stringify(ledger)}, keys: ${JSON.stringify(keys)} })));
  `;
  const readableAs = (...user: string[]) => {
    const node = [process.execPath, "--input-type=module", "-e", program];
    return JSON.parse(execFileSync("setpriv", [...user, ...node], { encoding: "utf8" }));
  };
  expect(readableAs("--reuid=0")).toHaveLength(4);
  expect(readableAs("--reuid=65534", "--regid=65534", "--clear-groups")).toEqual([]);
});
