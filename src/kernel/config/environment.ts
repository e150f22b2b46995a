import { OperatorError } from "../errors.ts";
import { type Config, configFrom } from "./config.ts";

// This file alone reads the environment of the process.

export function readConfig(): Config {
  return configFrom(process.env);
}

/** The environment of a thread that renders the compiled pages from a snapshot. */
export function pagesEnvironment(snapshot: string): NodeJS.ProcessEnv {
  return { ...process.env, PRESENCE_SNAPSHOT: snapshot };
}

/** The snapshot that the compiled pages are rendered from. */
export function readSnapshotPath(): string {
  const path = process.env["PRESENCE_SNAPSHOT"];
  if (path) return path;
  throw new OperatorError("PRESENCE_SNAPSHOT is not set: build pages with `presence build`, which sets it");
}

/** Where a test may find a browser. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}
