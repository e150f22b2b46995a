import { existsSync } from "node:fs";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A Chromium on the PATH, or undefined. `CHROMIUM_PATH` wins, so that a browser in an odd place can be named. */
export function systemChromium(path: string | undefined, chosen: string | undefined): string | undefined {
  if (chosen !== undefined && existsSync(chosen)) return chosen;
  for (const folder of (path ?? "").split(":")) {
    for (const name of NAMES) {
      const candidate = join(folder, name);
      if (folder !== "" && existsSync(candidate)) return candidate;
    }
  }
  return undefined;
}
