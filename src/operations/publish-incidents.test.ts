import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { Operator } from "../../tests/support/operations/operator.ts";
import {
  current,
  erased,
  FIRST,
  json,
  manifestOf,
  recordIn,
  twoTownsCopied,
} from "../../tests/support/towns/two-towns.ts";
import { releasePaths } from "../kernel/home.ts";

/** `presence incident` as an operator uses it: two towns, published. */
const operator = new Operator();
beforeAll(() => twoTownsCopied(operator), 300_000);
afterAll(() => operator[Symbol.dispose]());

const Done = z.object({
  incident: z.string(),
  release: z.string(),
  release_kind: z.literal("patch"),
  files_made: z.int(),
  files_linked: z.int(),
});
const incident = async (...args: string[]) =>
  Done.parse(JSON.parse(await operator.ok(["incident", ...args, "--json"])));
const shown = () => json(current(operator), "api/v1/status.json").incidents;

/** The documents of the status, and those that name the release. */
const OF_STATUS =
  /^(status\/|api\/v1\/(status|search)\.json|data\/|exports\/(changes\.json|index\.json|SHA256SUMS))/;

test("opening one republishes the documents of the status at once, and no other", async () => {
  const before = manifestOf(current(operator));
  const { site } = releasePaths(current(operator));
  const done = await incident("open", "--title", "No search", "--text", "Search answers errors <b>.");
  const after = manifestOf(current(operator));
  expect(after.release_id).toBe(done.release);
  expect(after.inputs).toMatchObject({ as_of: before.inputs.as_of, tree_size: before.inputs.tree_size });
  expect(after.mends).toMatchObject({ release_id: before.release_id, carried_over: { cities: [] } });
  const paths = Object.keys({ ...before.files, ...after.files });
  const changed = paths.filter((path) => before.files[path] !== after.files[path]);
  expect(changed.filter((path) => !OF_STATUS.test(path))).toEqual([]);
  expect(shown()).toMatchObject([
    { id: done.incident, status: "open", message: "Search answers errors <b>." },
  ]);
  const linked = paths.filter((path) => path.startsWith("record/") || path.includes(FIRST));
  const now = releasePaths(current(operator)).site;
  const same = linked.filter((path) => statSync(join(site, path)).ino === statSync(join(now, path)).ino);
  expect(same).toEqual(linked);
  expect(done.files_linked).toBeGreaterThan(done.files_made);
});

test("updates and the end follow with their times, and stay in the history", async () => {
  const [{ id }] = shown();
  await incident("update", id, "--text", "A disk failed.");
  const done = await incident("close", id, "--text", "It was replaced.");
  expect(shown()).toMatchObject([
    { id, status: "resolved", updates: [{ message: "A disk failed." }, { message: "It was replaced." }] },
  ]);
  const page = readFileSync(join(releasePaths(current(operator)).site, "status", "index.html"), "utf8");
  for (const text of ["No search", "Search answers errors &lt;b&gt;.", "A disk failed.", "It was replaced."])
    expect(page).toContain(text);
  const feed = z
    .object({ items: z.array(z.object({ id: z.string(), content_text: z.string() })) })
    .parse(json(current(operator), "status/feed.json"));
  expect(feed.items.map(({ id: item, content_text }) => [item, content_text])).toEqual([
    [`${id}-resolved`, "The incident has ended."],
    [`${id}-update-2`, "It was replaced."],
    [`${id}-update-1`, "A disk failed."],
    [`${id}-opened`, "Search answers errors <b>."],
  ]);
  expect(done.incident).toBe(id);
  expect(await operator.ok(["incident", "list"])).toContain("It was replaced.");
});

test("the release verifies and replays, and an erasure after it keeps the incident", async () => {
  expect(await operator.ok(["verify"])).toContain("no fault");
  expect(JSON.parse(await operator.ok(["replay", "--json"]))).toMatchObject({ differences: [], faults: [] });
  const before = shown();
  await erased(operator, ["opt-out", recordIn(operator, FIRST, 1).publicId]);
  expect(shown()).toEqual(before);
  // A patch of a patch still carries over the scores of the night.
  await incident("open", "--title", "Another", "--text", "Something else.");
  expect(manifestOf(current(operator)).mends?.carried_over.cities).toEqual([FIRST]);
  expect(await operator.ok(["verify"])).toContain("no fault");
  expect(JSON.parse(await operator.ok(["replay", "--json"]))).toMatchObject({ differences: [], faults: [] });
});

test("what is wrong is refused by name, and nothing is written", async () => {
  const before = readFileSync(operator.home.incidents, "utf8");
  const refused = (...args: string[]) => operator.refused(["incident", ...args]);
  expect(await refused("open", "--title", " ", "--text", "x")).toMatch(/^presence: --title: /);
  expect(await refused("open", "--title", "x", "--text", "x".repeat(2001))).toMatch(
    /--text: .*2001 characters/,
  );
  expect(await refused("open", "--title", "x", "--text", "x", "--started", "soon")).toMatch(
    /--started must be/,
  );
  expect(await refused("close", "incident-none")).toMatch(/no incident incident-none/);
  expect(readFileSync(operator.home.incidents, "utf8")).toBe(before);
  expect(JSON.parse(await operator.ok(["incident", "publish", "--json"]))).toMatchObject({ release: null });
});
