import { existsSync } from "node:fs";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium: `CHROMIUM_PATH`, or else one on the PATH. */
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
