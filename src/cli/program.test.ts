/** What holds for every command. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { presenceAt } from "../../tests/support/operations/presence-here.ts";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { contextFor } from "../../tests/support/towns/demo-view.ts";
import { enqueueConfirmation } from "../accounts/delivery/messages.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { LockHeld } from "../ledger/database/lock.ts";
import { openState } from "../state/open-state.ts";
import { COMMANDS, presenceProgram, runCommandLine } from "./program.ts";

const PROJECT = join(import.meta.dirname, "../..");
const NOW = Date.parse("2026-05-02T12:00:00Z");

/** Another process that has the ledger open for writing. */
async function otherWriter(home: Home): Promise<Disposable> {
  const program = `
    const { openLedgerWriter } = await import(${JSON.stringify(join(PROJECT, "src/ledger/writer.ts"))});
    const [path, keysDir] = process.argv.slice(1);
    globalThis.writer = openLedgerWriter(path, { keysDir, clock: () => ${NOW} });
    process.stdout.write("open");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, home.ledger, home.keys], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return { [Symbol.dispose]: () => child.kill("SIGKILL") };
}

/** A home with something of each kind, and what to type after each command that shows one of them. */
async function fullHome(home: Home) {
  const run = async (...typed: string[]) =>
    JSON.parse((await presenceAt(home, [...typed, "--json"], { clock: () => NOW })).stdout);
  const papers = ["--operator", "Scouts Ltd", "--licence", "contract 1", "--consent", "form 3"];
  await run("source", "add", "scouts", "--kind", "scout", "--vetting", "individual", ...papers);
  const file = join(home.root, "lines.ndjson");
  writeFileSync(file, "");
  await expect(run("ingest", file)).rejects.toThrow("empty");
  const { client } = await run("partner", "create", "Maps Ltd");
  await run("partner", "key", "issue", client);
  await using state = await openState(undefined, home, { clock: () => NOW });
  const about = { about: "demo_alpha", record: "demo_alpha", email: null };
  const report = await state.reports.file({ ...about, kind: "not_genuine", text: "Nobody was there." });
  const removal = await state.removals.start("demo_alpha", "code");
  await enqueueConfirmation(state.outbox, {
    subscriptionPublicId: "sub_1",
    address: "reader@mail.test",
    token: "geheim",
    scope: "every record in Alpha",
    entityPublicId: null,
  });
  const shown: Readonly<Record<string, string>> = {
    "batch show": "b1",
    "source show": "scouts",
    "review show": "demo_alpha",
    "report show": report,
    "removal show": removal.publicId,
    "partner show": client,
    "partner key list": client,
    "outbox show": "1",
  };
  return shown;
}

/** The words of every command that ends with one of these. */
async function endingWith(home: Home, ends: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const visit = (each: CommandUnknownOpts, path: string) => {
    if (ends.includes(each.name()) && each.commands.length === 0) found.push(path);
    for (const inner of each.commands) visit(inner, `${path} ${inner.name()}`.trim());
  };
  visit(await presenceProgram(contextFor(home), []), "");
  return found;
}

async function helpOf(...typed: string[]): Promise<string> {
  let help = "";
  const stdout = { write: (text: string) => (help += text) };
  const code = await runCommandLine(typed, stdout, () => ({
    ...contextFor(homePaths("gone")),
    stdout,
    stderr: stdout,
  }));
  expect(code, help).toBe(typed.length === 0 ? 1 : 0);
  return help;
}

const namesIn = (help: string) =>
  Array.from(help.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm), ([, name = ""]) => name);

test("the help shows the commands of every day, and all of them with --all", async () => {
  const help = await helpOf("--help");
  expect(help).toMatchSnapshot();
  for (const typed of [[], ["-h"], ["help"]]) expect(await helpOf(...typed)).toBe(help);
  const all = Object.values(COMMANDS).flatMap((group) => Object.keys(group));
  expect(namesIn(await helpOf("--help", "--all"))).toEqual(all);
  expect(namesIn(help)).toHaveLength(13);
});

test("every command that lists or shows works while another process holds the writer's lock", async () => {
  const town = new TestTown();
  try {
    town.city("toronto");
    const record = town.record("Alpha");
    town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
    town.writer.close();
    const home = homePaths(town.ledger.folder);
    const named = await fullHome(home);
    const commands = await endingWith(home, ["list", "show"]);
    using _writer = await otherWriter(home);
    await expect(presenceAt(home, ["batch", "approve", "b1"])).rejects.toThrow(LockHeld);
    for (const path of commands)
      for (const json of [[], ["--json"]]) {
        const typed = [...path.split(" "), ...(path in named ? [named[path] ?? ""] : []), ...json];
        const { stdout } = await presenceAt(home, typed, { clock: () => NOW });
        if (path in named) expect(stdout, path).not.toBe("");
      }
    expect(commands).toEqual(
      expect.arrayContaining([
        "batch list",
        "source list",
        "affiliation list",
        "review list",
        ...Object.keys(named),
      ]),
    );
  } finally {
    town[Symbol.dispose]();
  }
});

test("several batches are typed in the forms in which they are printed", async () => {
  using town = new TestTown();
  town.city("toronto");
  town.writer.close();
  const home = homePaths(town.ledger.folder);
  await expect(presenceAt(home, ["batch", "approve", "batch b8", "b9"])).rejects.toThrow(/^no batch b8:/);
});
