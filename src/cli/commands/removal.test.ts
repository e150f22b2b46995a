/** The commands for owners' requests, on a state of its own. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import type { RemovalProof } from "../../contract/accounts/removals.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { openState } from "../../state/open-state.ts";

let folder: string;
let typed = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "removal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function start(proof: RemovalProof): Promise<string> {
  await using state = await openState(undefined, homePaths(folder), { clock: () => 0 });
  return (await state.removals.start("demo_alpha", proof)).publicId;
}

async function removal(...args: string[]): Promise<string> {
  const stdin = Readable.from([typed]);
  return (await presenceAt(homePaths(folder), ["removal", ...args], { stdin })).stdout;
}

const refusal = (...args: string[]) =>
  removal(...args).then(
    () => "no refusal",
    (error: unknown) => {
      if (error instanceof OperatorError) return error.message;
      throw error;
    },
  );

test("a code goes out, comes back, and puts the request before a reviewer", async () => {
  const id = await start("code");
  expect(await removal("list")).toContain(`${id}  unproven`);
  const code = (await removal("issue-code", id)).trim();
  expect(await removal("show", id, "--json")).not.toContain(code);
  typed = "wrong";
  expect(await refusal("enter-code", id, "--reason", "owner_request")).toContain("the code is wrong");
  typed = `${code}\n`;
  const entered = JSON.parse(await removal("enter-code", id, "--reason", "safety", "--json"));
  expect(entered).toMatchObject({
    status: "requested",
    record: "demo_alpha",
    proven_by: "code",
    reason: "safety",
  });
  expect(await refusal("enter-code", id, "--reason", "safety")).toContain("no valid code");
  expect(await refusal("issue-code", id)).toContain("it is requested, so it takes no code");
  await removal("resolve", id, "--outcome", "declined", "--as", "privacy-desk");
  expect(await refusal("resolve", id, "--outcome", "declined", "--as", "privacy-desk")).toContain("declined");
  expect(await removal("list")).toBe("");
  expect(await removal("list", "--all")).toContain(`${id}  declined`);
});

test("a request by website waits for its proof, not for a reviewer; unknown ids and persons are refused", async () => {
  const id = await start("website");
  expect(await removal("list")).toBe("");
  expect(await removal("list", "--all")).toContain(id);
  expect(await refusal("show", "rm_0000000000000000")).toContain("no request rm_0000000000000000");
  expect(await refusal("resolve", id, "--outcome", "declined", "--as", "Jane Doe")).toMatch(/role|person/);
});
