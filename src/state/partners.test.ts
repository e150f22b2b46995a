import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeOnBoth, sharedState, TestState } from "../../tests/support/state/stores.ts";
import { OperatorError } from "../kernel/errors.ts";
import { systemRandom } from "../kernel/ids.ts";
import { DAY_MS } from "../kernel/time.ts";
import { isPartnerKey, isSameHash, keyHash, keyPrefix, newPartnerKey, type Partners } from "./partners.ts";

describe("partners", () => {
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
        `a partner client named ${client.name} already`,
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
});

describe("partner key", () => {
  const ALPHABET = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
  const key = fc
    .infiniteStream(fc.integer({ min: 0, max: 255 }))
    .map((bytes) => newPartnerKey((size) => Buffer.from([...bytes.take(size)])));

  test("a key is ppes_live_, 30 digits and a checksum of 6, and is known as one", () => {
    fc.assert(
      fc.property(key, (one) => {
        expect(one).toMatch(/^ppes_live_[0-9A-Za-z]{36}$/);
        expect(isPartnerKey(one)).toBe(true);
        expect(keyPrefix(one)).toBe(one.slice(0, 12));
      }),
    );
  });

  test("any single character that is changed is found out", () => {
    const change = fc.tuple(key, fc.nat({ max: 45 }), fc.constantFrom(...ALPHABET, "_", " ", "é"));
    fc.assert(
      fc.property(change, ([one, at, character]) => {
        const changed = one.slice(0, at) + character + one.slice(at + 1);
        expect(isPartnerKey(changed)).toBe(changed === one);
      }),
      { numRuns: 2000 },
    );
  });

  test("neighbours that changed places, more, less and other alphabets are no keys", () => {
    const one = newPartnerKey(systemRandom);
    const at = [...one].findIndex((character, index) => index > 10 && character !== one[index + 1]);
    const swapped = one.slice(0, at) + one[at + 1] + one[at] + one.slice(at + 2);
    for (const bad of [
      swapped,
      `${one}0`,
      one.slice(0, -1),
      ` ${one}`,
      `${one}\n`,
      one.toUpperCase(),
      "",
      "ppes_live_",
    ])
      expect(isPartnerKey(bad)).toBe(false);
  });

  test("the checksum is the one that others compute: CRC-32 of the 30 digits, base 62, six digits", () => {
    expect(isPartnerKey(`ppes_live_${"0".repeat(30)}${crc("0".repeat(30))}`)).toBe(true);
  });

  test("every digit is as likely as any other", () => {
    const counts = new Map(ALPHABET.map((digit) => [digit, 0]));
    for (let made = 0; made < 4000; made += 1)
      for (const digit of newPartnerKey(systemRandom).slice(10, 40))
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
    const expected = (4000 * 30) / 62;
    for (const [digit, count] of counts)
      expect(Math.abs(count - expected), digit).toBeLessThan(6 * Math.sqrt(expected));
  });

  test("hashes are compared whole", () => {
    const hash = keyHash("a");
    expect(isSameHash(hash, keyHash("a"))).toBe(true);
    expect(isSameHash(hash, keyHash("b"))).toBe(false);
    expect(isSameHash(hash, hash.slice(2))).toBe(false);
    expect(isSameHash(hash, "")).toBe(false);
  });

  /** Bit by bit, after the definition (ISO 3309). */
  function crc(text: string): string {
    let register = 0xffffffffn;
    for (const byte of Buffer.from(text)) {
      register ^= BigInt(byte);
      for (let bit = 0; bit < 8; bit += 1)
        register = register & 1n ? (register >> 1n) ^ 0xedb88320n : register >> 1n;
    }
    let rest = register ^ 0xffffffffn;
    let digits = "";
    for (let at = 0; at < 6; at += 1) {
      digits = ALPHABET[Number(rest % 62n)] + digits;
      rest /= 62n;
    }
    return digits;
  }
});
