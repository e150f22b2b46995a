import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

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
