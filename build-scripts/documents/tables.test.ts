/** The documents' tables of rooms, settings and databases are the code's own: `npx vitest run build-scripts/documents -u` writes them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BRAKE, RULES } from "../../src/intake/brake.ts";
import { settings } from "../../src/kernel/config/config.ts";
import { settingsExample } from "../../src/kernel/config/settings-example.ts";
import type { Table } from "../../src/kernel/table.ts";
import { LEDGER_TABLES } from "../../src/ledger/database/tables.ts";
import { STATE_TABLES } from "../../src/state/tables.ts";
import { ROOMS } from "../rooms.ts";
import { PROJECT, projectText, tableRows } from "./markdown.ts";

function folders(path: string): string[] {
  return readdirSync(join(PROJECT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .toSorted();
}

/** Names in backticks. */
function names(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name);
}

test("docs/architecture.md has the rooms and their imports as they are enforced", async () => {
  const path = "docs/architecture.md";
  const page = projectText(path);
  const rooms = tableRows(page, "room").map(([room = ""]) => names(room)[0]);
  expect(rooms).toEqual(Object.keys(ROOMS));
  const enforced = page.replace(/^\| `([\w/-]+)` \| (.+) \| .+ \|$/gm, (row, room: string, holds: string) => {
    const imports = ROOMS[room]?.map((name) => `\`${name}\``).join(", ");
    return imports === undefined ? row : `| \`${room}\` | ${holds} | ${imports || "nothing"} |`;
  });
  await expect(enforced).toMatchFileSnapshot(join(PROJECT, path));
});

test("a room imports only rooms that stand before it", () => {
  const rooms = Object.keys(ROOMS);
  for (const [at, room] of rooms.entries())
    expect(
      ROOMS[room]?.filter((name) => !rooms.slice(0, at).includes(name)),
      room,
    ).toEqual([]);
});

test("every room is a folder of src, and every folder a room", () => {
  const rooms = Object.keys(ROOMS);
  const outer = [...new Set(rooms.map((room) => room.split("/")[0] ?? ""))];
  expect(folders("src")).toEqual(outer.toSorted());
  const inner = rooms.filter((room) => room.includes("/"));
  const below = [...new Set(inner.map((room) => room.split("/")[0] ?? ""))].map((room) => ({
    isWhole: rooms.includes(room), // a room that holds another one beside its own folders
    found: folders(`src/${room}`).map((name) => `${room}/${name}`),
  }));
  expect(below.flatMap(({ found }) => found)).toEqual(expect.arrayContaining(inner));
  for (const { isWhole, found } of below) if (!isWhole) expect(inner).toEqual(expect.arrayContaining(found));
});

test("README lists every room and every folder of the project", () => {
  const listed = tableRows(projectText("README.md"), "folder").flatMap(([folder = ""]) => names(folder));
  const made = ["node_modules", "var", "dist"];
  const expected = [
    ...folders(".").filter((name) => !made.includes(name)),
    ...folders("src").map((room) => `src/${room}`),
  ];
  expect(expected.filter((folder) => !listed.includes(folder))).toEqual([]);
  expect(listed.filter((folder) => !expected.includes(folder))).toEqual([]);
});

test("docs/operations/environment.md has the settings as they are declared", async () => {
  const path = "docs/operations/environment.md";
  const page = projectText(path);
  const rows = settings().map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |`,
  );
  const head = "|---|---|---|\n";
  const before = page.slice(0, page.indexOf(head) + head.length);
  await expect(`${before}${rows.join("\n")}\n`).toMatchFileSnapshot(join(PROJECT, path));
});

test("deploy/presence.toml is the example that is made from the settings, and operators meet at most 25", async () => {
  await expect(settingsExample()).toMatchFileSnapshot(join(PROJECT, "deploy/presence.toml"));
  expect(settings().filter(({ isShown }) => isShown).length).toBeLessThanOrEqual(25);
});

test("docs/operations/batches.md has the bounds of the brake as the code has them", async () => {
  const path = "docs/operations/batches.md";
  const share = (part: number) => `${Math.round(100 * part)} %`;
  const plain = (count: number) => count.toLocaleString("en-US");
  const { normal, strict } = RULES;
  const rows = (["young", "grown"] as const).flatMap((city) =>
    (["new", "individual", "collective"] as const).map((source) => {
      const [usual, less] = [normal.bounds[city][source], strict.bounds[city][source]];
      const shares = (["rejected", "newNames", "newCells"] as const).map(
        (what) => `${share(usual[what])} / ${share(less[what])}`,
      );
      return `| ${[city, source, `${plain(usual.lines)} / ${plain(less.lines)}`, ...shares].join(" | ")} |\n`;
    }),
  );
  const page = projectText(path);
  expect(page).toContain(`for ${BRAKE.newDays} days from its first delivery on`);
  expect(page).toMatch(
    new RegExp(
      `Fewer than ${normal.minLines}\\s+lines \\(strict: ${strict.minLines}\\).* ${BRAKE.windowDays} days before`,
      "s",
    ),
  );
  const head = "|---|---|---|---|---|---|\n";
  const start = page.indexOf(head) + head.length;
  const end = start + page.slice(start).search(/^(?!\|)/m);
  const written = page.slice(0, start) + rows.join("") + page.slice(end);
  await expect(written).toMatchFileSnapshot(join(PROJECT, path));
});

test("docs/operations/databases.md has what bounds each table as it is declared", async () => {
  const path = "docs/operations/databases.md";
  const state = Object.entries(STATE_TABLES);
  expect(state.map(([name]) => name)).toEqual(state.map(([, { name }]) => name));
  const rows = (tables: readonly Table[]) =>
    tables.map(({ name, bound }) => `| \`${name}\` | ${bound?.limit} | ${bound?.kept} |\n`).join("");
  const listed = (page: string, heading: string, tables: readonly Table[]) => {
    const start = page.indexOf("|---|---|---|\n", page.indexOf(heading)) + "|---|---|---|\n".length;
    const end = page.slice(start).search(/^(?!\|)/m);
    return page.slice(0, start) + rows(tables) + page.slice(start + end);
  };
  const page = listed(projectText(path), "Tables of the state:", Object.values(STATE_TABLES));
  const declared = listed(page, "Tables of `ledger.db`:", LEDGER_TABLES);
  expect(declared).not.toContain("undefined");
  await expect(declared).toMatchFileSnapshot(join(PROJECT, path));
});
