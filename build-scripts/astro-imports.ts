/** `npm run check:imports`, second half: holds the imports of Astro files against the table of rooms, which dependency-cruiser cannot read. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOMS } from "./rooms.ts";

/** Static imports of a front matter or a script, and what it re-exports. */
const IMPORT = /^\s*(?:import|export)\b[^"';]*["'](\.[^"']+)["']/gm;

/** Each import of `text`, the Astro file at `path` (relative to the project), that its room may not make. */
export function forbiddenImports(path: string, text: string): string[] {
  const room = roomOf(path);
  const allowed = room === undefined ? undefined : ROOMS[room];
  if (room === undefined || allowed === undefined)
    return [`${path}: build-scripts/rooms.ts names no room for it`];
  return [...text.matchAll(IMPORT)]
    .map(([, target = ""]) => join(dirname(path), target))
    .filter((target) => target.startsWith("src/") || target.startsWith("build-scripts/"))
    .filter((target) => ![room, ...allowed].includes(roomOf(target) ?? ""))
    .map((target) => `${path} → ${target}: src/${room} may import ${allowed.join(", ")}`);
}

function roomOf(path: string): string | undefined {
  const [root, room = "", inner, ...rest] = path.split("/");
  if (root !== "src" || inner === undefined) return undefined;
  return rest.length > 0 && `${room}/${inner}` in ROOMS ? `${room}/${inner}` : room;
}

if (import.meta.main) {
  const files = globSync("src/**/*.astro");
  const forbidden = files.flatMap((path) => forbiddenImports(path, readFileSync(path, "utf8")));
  for (const line of forbidden) process.stderr.write(`error ${line}\n`);
  process.stdout.write(
    `${files.length} Astro files, ${forbidden.length} imports against the table of rooms\n`,
  );
  process.exitCode = forbidden.length === 0 ? 0 : 1;
}
