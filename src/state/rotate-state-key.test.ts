import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeOnBoth, TestState } from "../../tests/support/state/stores.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { openState } from "./open-state.ts";
import { readStateKey, rotatedKeyFile } from "./state-key.ts";
import { linkToken, readLinkToken } from "./subscriptions/subscription-links.ts";

describeOnBoth("a rotation of the state's key", (engine) => {
  test("keeps links of before until the next one, and the hashes of addresses for good", async () => {
    await using it = await TestState.open(engine);
    const first = readStateKey(it.home);
    const token = linkToken(first, "unsubscribe", "sub_1");
    expect(first.previousKey("unsubscribe")).toBeUndefined();
    await it.state.rotateKey();
    const second = readStateKey(it.home);
    expect(second.purposeKey("unsubscribe")).not.toEqual(first.purposeKey("unsubscribe"));
    expect(linkToken(second, "unsubscribe", "sub_1")).not.toBe(token);
    expect(readLinkToken(second, "unsubscribe", token)).toBe("sub_1");
    expect(readLinkToken(second, "manage", token)).toBeUndefined();
    expect(second.purposeKey("address")).toEqual(first.purposeKey("address"));
    await it.state.rotateKey();
    const third = readStateKey(it.home);
    expect(readLinkToken(third, "unsubscribe", token)).toBeUndefined();
    expect(third.purposeKey("address")).toEqual(first.purposeKey("address"));
  });

  test("is completed by the next process that opens the state", async () => {
    await using it = await TestState.open(engine);
    const { text } = rotatedKeyFile(it.home, seededBytes("killed"));
    writeFileSync(it.home.stateKey, text, { mode: 0o600 }); // and killed before the database followed
    await (await it.another()).close();
    // By now the database names the new key: a file that names it as the previous one still opens, an older one does not.
    writeFileSync(it.home.stateKey, rotatedKeyFile(it.home, seededBytes("again")).text, { mode: 0o600 });
    await (await it.another()).close();
    writeFileSync(it.home.stateKey, text, { mode: 0o600 });
    await expect(it.another()).rejects.toThrow("this is not the key that the state database was made with");
  });

  test("signs deliveries with the secrets of both keys", async () => {
    await using it = await TestState.open(engine);
    const webhook = { publicId: "wh_1", rotation: 1, previousValidUntil: null };
    const secrets = async () => {
      await using again = await it.another();
      return again.webhooks.signingSecrets(webhook);
    };
    const [known] = await secrets();
    await it.state.rotateKey();
    const after = await secrets();
    expect(after).toHaveLength(2);
    expect(after.at(-1)).toBe(known);
  });
});

test("in a folder that its group may write, key and database are the group's, and nobody else's", async () => {
  await using it = await TestState.unopened("sqlite");
  const { home } = it;
  mkdirSync(home.stateFolder);
  chmodSync(home.stateFolder, 0o2770);
  const state = await openState(undefined, home);
  await state.rotateKey();
  await state.close();
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([mode(home.state), mode(home.stateKey)]).toEqual(["660", "640"]);
  expect(readFileSync(home.stateKey, "utf8")).toContain('"previous"');
  await (await openState(undefined, home)).close();
});
