import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { type Home, hasHeldRelease, homePaths } from "../../kernel/home.ts";
import {
  discardHeld,
  heldRelease,
  holdRelease,
  publishHeld,
  readReview,
  removeStrayHeld,
  writeReview,
} from "./held.ts";
import { currentRelease, prepareStaging, pruneReleases, publishRelease } from "./publish.ts";

const FACTS = { held_at: "2026-05-20T00:10:00Z", against: "r1", findings: [] };
const HOLD = { since: "2026-05-20T09:00:00Z", note: null };

let home: Home;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "held-")));
  publishRelease(home, prepareStaging(home), "r1");
});
afterEach(() => rmSync(home.root, { recursive: true }));

const hold = (release_id: string) => holdRelease(home, prepareStaging(home), { ...FACTS, release_id });
const names = () => readdirSync(home.releases).sort();
const current = () => basename(currentRelease(home) ?? "");
function held() {
  const found = heldRelease(home);
  if (found === undefined) throw new Error("nothing is held");
  return found;
}

test("a held release is not current, and the next one takes its place", () => {
  expect(hasHeldRelease(home.releases)).toBe(false);
  hold("r2");
  hold("r3");
  expect([names(), current()]).toEqual([[".held-r3", "r1"], "r1"]);
  expect(held()).toMatchObject({ release_id: "r3", name: "r3", against: "r1" });
  expect(hasHeldRelease(home.releases)).toBe(true);
  expect(statSync(home.review).mode & 0o777).toBe(0o600);
});

test("the same release built again gets a name of its own", () => {
  hold("r1");
  hold("r1");
  expect(names()).toEqual([".held-r1.3", "r1"]);
  publishHeld(home, held());
  expect([names(), current()]).toEqual([["r1", "r1.3"], "r1.3"]);
});

test("pruning leaves it, and an approval makes it an ordinary release and lifts the hold", () => {
  writeReview(home, { hold: HOLD });
  hold("r2");
  expect(pruneReleases(home, 1, 0)).toEqual({ removed: 0, refused: [] });
  publishHeld(home, held());
  expect([names(), current()]).toEqual([["r1", "r2"], "r2"]);
  expect(readReview(home)).toEqual({ hold: null, held: null });
});

test("killed before the file was written, the release before it stays held and the rest is removed", () => {
  hold("r2");
  renameSync(prepareStaging(home), join(home.releases, ".held-r3"));
  expect(held()).toMatchObject({ release_id: "r2" });
  removeStrayHeld(home);
  expect(names()).toEqual([".held-r2", "r1"]);
});

test("an approval that was killed is finished by the next one, before the pointer moved and after", () => {
  hold("r2");
  const { directory } = held();
  renameSync(directory, join(home.releases, "r2"));
  expect(current()).toBe("r1");
  publishHeld(home, held());
  expect([names(), current()]).toEqual([["r1", "r2"], "r2"]);
  writeReview(home, { held: { ...FACTS, name: "r2", release_id: "r2" } });
  expect(heldRelease(home)).toBeUndefined();
  discardHeld(home);
  expect([names(), current(), readReview(home).held]).toEqual([["r1", "r2"], "r2", null]);
});

test("discarding removes it and nothing else, also where its folder is gone", () => {
  writeReview(home, { hold: HOLD });
  hold("r2");
  discardHeld(home);
  expect([names(), readReview(home)]).toEqual([["r1"], { hold: HOLD, held: null }]);
  rmSync(hold("r2"), { recursive: true });
  discardHeld(home);
  expect(readReview(home).held).toBeNull();
  expect(readlinkSync(home.current)).toBe("releases/r1");
});

test.each([
  "",
  "[]",
  '{"hold":null}',
  '{"hold":{"since":"yesterday","note":null},"held":null}',
  '{"hold":null,"held":{"name":"../keys","release_id":"x","held_at":"2026-05-20T00:10:00Z","against":null,"findings":[]}}',
  '{"hold":null,"held":{"name":".held-x","release_id":"x","held_at":"2026-05-20T00:10:00Z","against":null,"findings":[]}}',
  '{"hold":{"length":{"toString":null}},"held":null}',
])("a file that is not one of this program is named: %s", (text) => {
  writeFileSync(home.review, text);
  expect(() => heldRelease(home)).toThrow(OperatorError);
  expect(() => readReview(home)).toThrow(/release-review\.json: not readable .* delete it/);
  expect(existsSync(home.review)).toBe(true);
});
