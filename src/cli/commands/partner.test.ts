import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { openState } from "../../state/open-state.ts";

const Client = z.looseObject({ client: z.string(), status: z.string(), portal_access: z.boolean() });
const Key = z.looseObject({ key: z.string(), begins_with: z.string(), revoked_at: z.string().nullable() });
const IssuedKey = Key.extend({ api_key: z.string() });

let home: Home;

beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "partner-command-")));
});
afterEach(() => rmSync(home.root, { recursive: true }));

const partner = (...args: string[]) => presenceAt(home, ["partner", ...args]);

async function json<T>(schema: z.ZodType<T>, ...args: string[]): Promise<T> {
  return schema.parse(JSON.parse((await partner(...args, "--json")).stdout));
}

test("a client from its making to its key", async () => {
  const made = await json(Client, "create", "Maps Inc", "--contact", "ops@maps.example", "--daily", "5");
  expect(made).toMatchObject({
    name: "Maps Inc",
    status: "active",
    contact: "ops@maps.example",
    portal_access: true,
    daily_quota: 5,
    used_today: 0,
    monthly_quota: 200_000,
  });
  const issued = await json(IssuedKey, "key", "issue", made.client);
  expect(issued.api_key).toMatch(/^ppes_live_\w{36}$/);
  expect(issued.api_key.startsWith(issued.begins_with)).toBe(true);
  {
    await using state = await openState(undefined, home);
    expect(await state.partners.authenticate(issued.api_key)).toMatchObject({ outcome: "ok" });
  }
  const listed = await partner("key", "list", made.client, "--json");
  expect(
    z
      .array(Key)
      .parse(JSON.parse(listed.stdout))
      .map(({ key }) => key),
  ).toEqual([issued.key]);
  for (const said of [listed, await partner("show", made.client), await partner("list")])
    expect(said.stdout + said.stderr).not.toContain(issued.api_key);
  const folder = dirname(home.state);
  const files = readdirSync(folder).filter((name) => name.startsWith("state.db"));
  expect(files).toContain("state.db");
  for (const file of files) expect(readFileSync(join(folder, file)).includes(issued.api_key)).toBe(false);
});

test("disable and enable, and a key revoked for good", async () => {
  const { client } = await json(Client, "create", "Maps Inc", "--no-portal");
  const { key, api_key } = await json(IssuedKey, "key", "issue", client);
  expect((await json(Client, "disable", client)).status).toBe("disabled");
  expect((await json(Client, "enable", client)).status).toBe("active");
  expect((await json(Client, "show", client)).portal_access).toBe(false);
  expect((await json(Key, "key", "revoke", key)).revoked_at).not.toBeNull();
  await using state = await openState(undefined, home);
  expect(await state.partners.authenticate(api_key)).toMatchObject({ outcome: "revoked" });
});

test.each([
  [["create", " "], "a name has 1 to 120 characters"],
  [["create", "a\nb"], "no control characters"],
  [["create", "A", "--daily", "0"], "--daily must be a whole number from 1 (got 0)"],
  [["create", "A", "--contact", "a@b.example, c@d.example"], "must be one email address"],
  [["show", "client_none"], "no partner client client_none"],
  [["key", "list", "client_none"], "no partner client client_none"],
  [["key", "issue", "client_none"], "no partner client client_none"],
  [["disable", "client_none"], "no partner client client_none"],
  [["key", "revoke", "key_none"], "no partner key key_none"],
])("%j is refused with what is wrong", async (args, reason) => {
  await expect(partner(...args)).rejects.toThrow(reason);
});

test("a name is taken once", async () => {
  await partner("create", "Maps Inc");
  await expect(partner("create", "Maps Inc")).rejects.toThrow("a partner client named Maps Inc");
});
