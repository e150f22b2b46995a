import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { Operator } from "../../../tests/support/operations/operator.ts";
import { endGroup } from "../../../tests/support/operations/presence-process.ts";
import { releaseFaults } from "../../../tests/support/release/whole-release.ts";
import { serveHome } from "../../../tests/support/towns/demo-home.ts";
import {
  confirmed,
  current,
  erased,
  FIRST,
  manifestOf,
  recordIn,
  SECOND,
  traces,
  twoTownsCopied,
} from "../../../tests/support/towns/two-towns.ts";
import { repetitions } from "../../../tests/support/trial.ts";
import { openLedgerReader } from "../../ledger/reader.ts";

let operator: Operator;
beforeEach(async () => {
  operator = new Operator();
  await twoTownsCopied(operator);
});
afterEach(() => operator[Symbol.dispose]());

/** A program for PURGE_HOOK, which notes the addresses that it gets. */
function hook(ending: string, of = operator): { readonly path: string; readonly calls: string } {
  const calls = join(of.folder, "purged.txt");
  const path = of.write("purge.sh", `#!/bin/sh\ncat "$1" >> ${calls}\n${ending}\n`);
  chmodSync(path, 0o755);
  return { path, calls };
}

test("a build that began before an erasure is not published after it: it begins again", async () => {
  const { publicId, texts } = recordIn(operator, FIRST, 1);
  const command = await confirmed(operator, ["opt-out", publicId]);
  const before = basename(current(operator));
  const building = operator.start(["build"]);
  await Promise.all([building.said("snapshot  "), building.said("ledger  ")]); // which read the ledger
  building.child.kill("SIGSTOP"); // however long the erasure takes, the build is not done before it
  const patched = z.object({ release: z.string() }).parse(JSON.parse(await operator.ok(command)));
  building.child.kill("SIGCONT");
  const { code, stderr } = await building.done;
  expect(stderr).toContain("something was erased meanwhile: building again");
  expect(code, stderr).toBe(0);
  const names = [before, patched.release, basename(current(operator))];
  expect(new Set(names).size).toBe(3);
  expect(manifestOf(current(operator)).mends).toBeUndefined();
  expect(traces(operator.home.releases, texts)).toEqual([]);
});

test("kill -9 leaves the old release or the new one, and the same command again finishes", async () => {
  const rounds = 1 + repetitions(20, 3);
  let duration = 0;
  for (let at = 0; at < rounds; at += 1) {
    using it = new Operator(); // a town of its own each time: no town has records for twenty opt-outs
    await twoTownsCopied(it);
    const { path, calls } = hook("exit 0", it);
    const env = { PURGE_HOOK: path };
    using reader = openLedgerReader(it.home.ledger);
    const verifier = reader.keyRing().current;
    const { publicId, texts } = recordIn(it, FIRST, 0);
    const command = await confirmed(it, ["opt-out", publicId]);
    if (at > 0) {
      const running = it.start(command, { env });
      setTimeout(() => endGroup(running), (duration * at) / rounds);
      await running.done;
      expect(releaseFaults(current(it), verifier)).toEqual([]);
    }
    const { code, stderr, seconds } = await (at === 0
      ? it.start(command, { env }).done
      : it.run(command, { env }));
    expect(code, stderr).toBe(0);
    if (at === 0) duration = seconds * 1000; // of a process, as those that are killed
    expect(releaseFaults(current(it), verifier)).toEqual([]);
    expect(traces(it.home.releases, texts)).toEqual([]);
    expect(readdirSync(it.home.releases)).toEqual([basename(current(it))]);
    expect(readFileSync(calls, "utf8")).toContain(`/record/${publicId}/`);
    expect(readFileSync(it.home.ledger).includes(publicId)).toBe(false);
  }
});

test("a hook that fails is reported, and the erasure is complete", async () => {
  const { publicId, texts } = recordIn(operator, FIRST, 1);
  const { path } = hook("exit 3");
  const env = { PURGE_HOOK: path };
  const { code, stdout, stderr } = await operator.run(await confirmed(operator, ["opt-out", publicId]), {
    env,
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).purge).toMatchObject({ hook: "failed", failure: "it ended with code 3" });
  expect(stderr).toContain("the hook failed: it ended with code 3");
  expect(stderr).toMatch(/erased .*\n(.*\n)*published .*\n(.*\n)*scrubbed /);
  expect(traces(operator.home.releases, texts)).toEqual([]);
});

test("a running server obeys at once, on every surface", async () => {
  const server = await serveHome(operator.home.root);
  try {
    const { publicId, texts } = recordIn(operator, FIRST, 1);
    const ask = async (path: string) => {
      const answer = await fetch(server.url + path);
      return { status: answer.status, text: await answer.text() };
    };
    const cursorOf = async (city: string) =>
      z
        .object({ next_cursor: z.string() })
        .parse(JSON.parse((await ask(`/api/v1/city/${city}/index?limit=2`)).text)).next_cursor;
    const [first, second] = [await cursorOf(FIRST), await cursorOf(SECOND)];
    const paths = [
      `/record/${publicId}/`,
      `/api/v1/entity/${publicId}`,
      `/api/v1/observations/${publicId}?limit=1`,
    ];
    for (const path of paths) expect((await ask(path)).status).toBe(200);
    await erased(operator, ["opt-out", publicId]);
    for (const path of paths)
      await expect.poll(async () => (await ask(path)).status, { timeout: 60_000 }).toBe(404);
    const lists = [
      `/city/${FIRST}/`,
      `/pulse/${FIRST}/rss.xml`,
      "/pulse/feed.json",
      `/api/v1/search?name=${encodeURIComponent(texts[1] ?? "")}&city=${FIRST}`,
    ];
    for (const path of lists) expect((await ask(path)).text).not.toContain(publicId);
    expect((await ask(`/api/v1/city/${FIRST}/index?limit=2&cursor=${first}`)).status).toBe(410);
    expect((await ask(`/api/v1/city/${SECOND}/index?limit=2&cursor=${second}`)).status).toBe(200);
    expect(statSync(operator.home.purge).mode & 0o077).toBe(0);
  } finally {
    await server.stop();
  }
});
