import { expect, test } from "vitest";
import { describeOnBoth, sharedState, TestState } from "../../../tests/support/state/stores.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { Partners } from "./partners.ts";

const MINUTE_MS = 60_000;
let made = 0;

function newClient(partners: Partners, changes: { dailyQuota?: number; monthlyQuota?: number } = {}) {
  made += 1;
  const client = { name: `Client ${made}`, contactEmail: "owner@client.test", portalAccess: true };
  return partners.createClient({ ...client, dailyQuota: 10, monthlyQuota: 100, ...changes });
}

describeOnBoth("partners", (engine) => {
  const shared = sharedState(engine);

  test("clients are made, listed, changed; a name is taken once", async () => {
    const { partners } = shared.test.state;
    const client = await newClient(partners);
    expect(await partners.client(client.publicId)).toEqual(client);
    expect(await partners.listClients()).toContainEqual(client);
    expect(client).toMatchObject({ status: "active", portalAccess: true, createdAt: shared.test.time });
    await expect(partners.createClient({ ...client, dailyQuota: 1, monthlyQuota: 1 })).rejects.toThrow(
      `there is a partner client named ${client.name} already`,
    );
    const changed = await partners.updateClient(client.publicId, { status: "disabled", monthlyQuota: 7 });
    expect(changed).toEqual({ ...client, status: "disabled", disabledAt: shared.test.time });
    expect((await partners.quota(client.publicId))?.monthly.quota).toBe(7);
    expect(await partners.updateClient(client.publicId, {})).toEqual(changed);
    await expect(partners.updateClient("client_none", {})).rejects.toThrow(OperatorError);
  });

  test("a key is shown once, stored as a hash, known again, and ends for good", async () => {
    const { partners } = shared.test.state;
    const client = await newClient(partners);
    const { key, secret } = await partners.issueKey(client.publicId);
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect(JSON.stringify(await partners.listKeys(client.publicId))).not.toContain(secret.slice(12));
    expect(await partners.authenticate(secret)).toEqual({ outcome: "ok", client, key });
    const second = await partners.issueKey(client.publicId);
    const revoked = await partners.revokeKey(key.publicId);
    expect(revoked.revokedAt).toBe(shared.test.time);
    shared.test.pass(5);
    expect((await partners.revokeKey(key.publicId)).revokedAt).toBe(revoked.revokedAt);
    expect(await partners.authenticate(secret)).toEqual({ outcome: "revoked" });
    expect((await partners.authenticate(second.secret)).outcome).toBe("ok");
    await partners.updateClient(client.publicId, { status: "disabled" });
    expect((await partners.authenticate(second.secret)).outcome).toBe("disabled");
    await partners.updateClient(client.publicId, { status: "active" });
    expect((await partners.authenticate(second.secret)).outcome).toBe("ok");
    await expect(partners.issueKey("client_none")).rejects.toThrow(OperatorError);
    await expect(partners.revokeKey("key_none")).rejects.toThrow(OperatorError);
  });

  test("junk is refused without a query, a well-formed key that nobody has with one", async () => {
    const { partners } = shared.test.state;
    await using other = await TestState.open("sqlite");
    const { publicId } = await newClient(other.state.partners);
    const { secret } = await other.state.partners.issueKey(publicId);
    expect(await partners.authenticate(secret)).toEqual({ outcome: "unknown" });
    await other.state.close(); // a query would throw from here on
    for (const junk of ["", "x", "\0", `${secret}x`, secret.slice(1), "' OR 1=1 --"])
      expect(await other.state.partners.authenticate(junk)).toEqual({ outcome: "malformed" });
    await expect(other.state.partners.authenticate(secret)).rejects.toThrow();
  });

  test("the last use is written down at most once a minute", async () => {
    const { test: shared_ } = shared;
    const { partners } = shared_.state;
    const { publicId } = await newClient(partners);
    const { secret } = await partners.issueKey(publicId);
    const lastUse = async () => (await partners.listKeys(publicId))[0]?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await partners.authenticate(secret);
    const first = shared_.time;
    shared_.pass(MINUTE_MS - 1);
    await partners.authenticate(secret);
    expect(await lastUse()).toBe(first);
    shared_.pass(1);
    await partners.authenticate(secret);
    expect(await lastUse()).toBe(first + MINUTE_MS);
  });

  test("quotas count by UTC day and month, refuse without counting, and begin anew", async () => {
    await using own = await TestState.open(engine, "2026-05-30T23:59:59Z");
    const { partners } = own.state;
    const { publicId } = await newClient(partners, { dailyQuota: 3, monthlyQuota: 5 });
    const used = async (requests: number) => {
      const charged = await partners.charge(publicId, requests);
      return [charged?.allowed, charged?.daily.used, charged?.daily.remaining, charged?.monthly.used];
    };
    expect(await used(2)).toEqual([true, 2, 1, 2]);
    expect(await used(2)).toEqual([false, 2, 1, 2]);
    expect(await used(1)).toEqual([true, 3, 0, 3]);
    expect((await partners.quota(publicId))?.daily.resetsAt).toBe(Date.parse("2026-05-31T00:00:00Z"));
    own.pass(1000);
    expect(await used(0)).toEqual([true, 0, 3, 3]);
    expect(await used(3)).toEqual([false, 0, 3, 3]);
    expect(await used(2)).toEqual([true, 2, 1, 5]);
    expect((await partners.quota(publicId))?.monthly).toEqual({
      quota: 5,
      used: 5,
      remaining: 0,
      resetsAt: Date.parse("2026-06-01T00:00:00Z"),
    });
    own.pass(DAY_MS);
    expect((await partners.quota(publicId))?.monthly.used).toBe(0);
    expect(await used(1)).toEqual([true, 1, 2, 1]);
    await partners.updateClient(publicId, { dailyQuota: 0 });
    expect((await partners.quota(publicId))?.daily).toMatchObject({ quota: 0, used: 1, remaining: 0 });
    expect(await partners.charge("client_none", 1)).toBeUndefined();
  });
});
