/** Who may use the desk's folders, as `presence doctor` checks it. As root, because it gives files to other users. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deskPaths, type Home, homePaths } from "../../kernel/home.ts";
import { fileFaults } from "../home-access.ts";

const [NIGHT, DESK] = [64_201, 64_202];
let home: Home;

beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "desk-access-")));
});
afterEach(() => rmSync(home.root, { recursive: true }));

function put(path: string, mode: number, uid: number, gid: number): void {
  chownSync(path, uid, gid);
  chmodSync(path, mode);
}

test.skipIf(process.getuid?.() !== 0)(
  "the folders of tmpfiles are right, and whoever opens one up is told",
  () => {
    const { folder, view, decisions, own, queue, database } = deskPaths(home);
    for (const each of [home.night, folder, view, decisions, own]) mkdirSync(each);
    for (const each of [queue, database]) writeFileSync(each, "");
    put(home.night, 0o700, NIGHT, NIGHT);
    put(folder, 0o755, 0, 0);
    put(view, 0o2750, NIGHT, DESK);
    put(queue, 0o640, NIGHT, DESK);
    put(decisions, 0o2770, DESK, NIGHT);
    put(own, 0o700, DESK, DESK);
    put(database, 0o600, DESK, DESK);
    expect(fileFaults(home)).toEqual([]);
    chmodSync(queue, 0o644);
    chmodSync(database, 0o640);
    chownSync(view, DESK, DESK);
    chmodSync(view, 0o2750); // chown takes setgid away
    expect(fileFaults(home).map(({ path, kind }) => [path, kind])).toEqual([
      [view, "owner"],
      [queue, "mode"],
      [database, "mode"],
    ]);
  },
);

test("with one user for all its own folders do", () => {
  const { view, decisions, own } = deskPaths(home);
  for (const each of [home.night, view, decisions, own]) mkdirSync(each, { recursive: true, mode: 0o700 });
  expect(fileFaults(home)).toEqual([]);
});
