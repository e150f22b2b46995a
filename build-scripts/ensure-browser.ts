import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { readBrowserSettings } from "../src/kernel/config/environment.ts";
import { systemChromium } from "./browser.ts";

/** Tries to install Debian packages without their recommendations, as root where apt-get exists. The caller checks the result. */
export async function installDebianPackages(...names: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  process.stderr.write(`installing Debian's ${names.join(" and ")}\n`);
  await aptGet("update", "-q");
  await aptGet("install", "-y", "-q", "--no-install-recommends", ...names);
}

async function aptGet(...args: readonly string[]): Promise<void> {
  await once(spawn("apt-get", args, { stdio: ["ignore", "inherit", "inherit"] }), "close");
}

/**
 * The browser for the tests: a system Chromium if there is one, else Debian's package when root, else Playwright's own. Fails with instructions if none
 * can be installed, because browser tests must not be skipped silently.
 */
async function ensureBrowser(): Promise<string | undefined> {
  const { path, chromiumPath } = readBrowserSettings();
  const find = () => systemChromium(path, chromiumPath) ?? playwrightChromium();
  const found = find();
  if (found !== undefined) return found;
  await installDebianPackages("chromium");
  const installed = find();
  if (installed !== undefined) return installed;
  say("no Chromium found: asking Playwright to install its own");
  spawnSync("npx", ["playwright-core", "install", "chromium"], { stdio: "inherit" });
  return find();
}

function playwrightChromium(): string | undefined {
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

const browser = await ensureBrowser();
if (browser === undefined) {
  say(
    "No browser for the tests: install Chromium (Debian: apt-get install chromium) or name one in CHROMIUM_PATH, then run again.",
  );
  process.exitCode = 1;
} else {
  process.stdout.write(`browser: ${browser}\n`);
}
