/** Requests of owners over HTTP: a strange site, a guess and a shared host prove nothing; answers tell nothing of erased records. */

import { describe, expect, test } from "vitest";
import type { TestSite } from "../../tests/support/release/site.ts";
import { ServedSite } from "../../tests/support/servers/served-site.ts";
import { type ProofSources, websiteProver } from "../accounts/website-proof.ts";
import { REMOVAL_EFFECTS, REMOVAL_TRAP, RemovalReceipt, RemovalView } from "../contract/accounts/removals.ts";
import { REMOVAL, REMOVAL_CHECKS_PER_HOUR, REMOVALS_PER_HOUR } from "../contract/limits.ts";

/** The outside world: TXT records by name, bodies by URL. Nothing else exists, and nothing leaves the machine. */
const world = {
  txt: new Map<string, string[][]>(),
  pages: new Map<string, () => Response>(),
  asked: [] as string[],
};
const sources: ProofSources = {
  timeoutMs: 1000,
  async resolveTxt(name) {
    world.asked.push(name);
    const records = world.txt.get(name);
    if (records === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return records;
  },
  async fetch(url, { redirect }) {
    world.asked.push(`${redirect} ${url}`);
    const page = world.pages.get(url);
    if (page === undefined) throw new Error("SECRET: connection refused at 10.0.0.7");
    return page();
  },
};

const DNS = "_presence-verification.alpha-bakery.com";
const WELL_KNOWN = "https://www.alpha-bakery.com/.well-known/presence-verification.txt";

function publishOwners(site: TestSite): void {
  const gone = site.town.record("Gone", { website: "https://gone-bakery.com" });
  const asset = site.town.asset(gone);
  const seen = site.town.see(gone, asset, "a", "2026-04-28T10:00:00Z");
  for (const [name, website] of [
    ["Owned", "https://www.alpha-bakery.com/menu"],
    ["Shared", "https://www.facebook.com/alpha"],
    ["Inside", "https://intranet.local"],
    ["Port", "https://alpha-bakery.com:8443"],
  ] as const) {
    const record = site.town.record(name, { website });
    site.town.see(record, site.town.asset(record), "a", "2026-04-28T10:00:00Z");
  }
  site.town.redact([gone, asset, seen]);
  site.publish();
}

const served = new ServedSite({ deps: { proveWebsite: websiteProver(sources) }, prepare: publishOwners });
const call = served.call.bind(served);
const post = (path: string, body?: object, headers = {}) =>
  served.post(`/api/v1/removals${path}`, body, headers);

async function started(record = "demo_owned", proof = "website") {
  const answer = await post("", { record, proof });
  expect(answer.status).toBe(201);
  return RemovalReceipt.parse(await answer.json());
}

async function check(id: string, headers = {}) {
  // The pause between two looks is tested with the state.
  const answer = await post(`/${id}/check`, undefined, headers);
  return { status: answer.status, text: await answer.text() };
}

const places = (text: string) =>
  Object.fromEntries(RemovalView.parse(JSON.parse(text)).checked.map(({ place, result }) => [place, result]));

describe("proof by a website", () => {
  test("a token in DNS proves it; then reasons count, and a reviewer gets the request", async () => {
    const { removal, instructions } = await started("https://example.org/record/demo_owned/");
    const { removal_id: id } = removal;
    expect(instructions).toMatchObject({
      dns: { name: DNS, type: "TXT", value: `presence-verification=${instructions?.token}` },
      well_known: { url: WELL_KNOWN, content: instructions?.token },
    });
    expect(JSON.stringify(instructions)).not.toContain(id);
    expect((await post(`/${id}/request`, { reason: "owner_request" })).status).toBe(409);
    expect(await served.state.removals.list()).toEqual([]);
    world.txt.set(DNS, [["v=spf1 -all"], ["presence-verification=", instructions?.token ?? ""]]);
    const { text } = await check(id);
    expect(places(text)).toEqual({ dns: "found", well_known: "unreachable" });
    expect(RemovalView.parse(JSON.parse(text))).toMatchObject({
      removal: { status: "proven" },
      effects: [...REMOVAL_EFFECTS],
    });
    expect((await post(`/${id}/request`, { reason: "because" })).status).toBe(400);
    const sent = await post(`/${id}/request`, { reason: "privacy_request" });
    expect([sent.status, RemovalView.parse(await sent.json()).removal.status]).toEqual([202, "requested"]);
    expect((await post(`/${id}/request`, { reason: "safety" })).status).toBe(409);
    expect(await served.state.removals.list()).toMatchObject([
      { publicId: id, record: "demo_owned", provenBy: "dns", reason: "privacy_request" },
    ]);
    world.txt.clear();
  });

  test("a token at the well-known address proves it, and no redirect is followed", async () => {
    const { removal, instructions } = await started();
    world.pages.set(WELL_KNOWN, () => new Response(`${instructions?.token}\n`));
    world.asked.length = 0;
    expect(places((await check(removal.removal_id)).text)).toEqual({ dns: "not_found", well_known: "found" });
    expect(world.asked.sort()).toEqual([DNS, `manual ${WELL_KNOWN}`]);
    world.pages.clear();
  });

  test.each<[string, () => void]>([
    ["another token", () => world.pages.set(WELL_KNOWN, () => new Response("0".repeat(32)))],
    [
      "a token of another request",
      () => world.txt.set(DNS, [["presence-verification=".concat("0".repeat(32))]]),
    ],
    [
      "a page that holds everything",
      () => world.pages.set(WELL_KNOWN, () => new Response("x".repeat(1_000_000))),
    ],
    [
      "a redirect",
      () =>
        world.pages.set(
          WELL_KNOWN,
          () => new Response(null, { status: 302, headers: { location: "https://x.com/" } }),
        ),
    ],
    ["an error page", () => world.pages.set(WELL_KNOWN, () => new Response("SECRET page", { status: 500 }))],
  ])("%s proves nothing, and nothing of it is shown", async (_, arrange) => {
    arrange();
    const { removal } = await started();
    const { text } = await check(removal.removal_id);
    expect(Object.values(places(text))).not.toContain("found");
    expect(text).not.toContain("SECRET");
    expect(text).not.toContain("10.0.0.7");
    expect(await served.state.removals.get(removal.removal_id)).toMatchObject({ status: "unproven" });
    world.txt.clear();
    world.pages.clear();
  });

  test.each(["demo_shared", "demo_inside", "demo_port", "demo_alpha"])(
    "%s has no website of its own that could be proven: nothing is asked",
    async (record) => {
      world.asked.length = 0;
      expect((await post("", { record, proof: "website" })).status).toBe(409);
      const { removal, instructions } = await started(record, "code");
      expect(instructions).toBeNull();
      expect((await check(removal.removal_id)).status).toBe(409);
      expect(world.asked).toEqual([]);
    },
  );

  test("a record that is erased meanwhile looks like a website without the token", async () => {
    const { removal } = await started();
    await served.state.forgetRecord("demo_owned", () => undefined);
    expect(places((await check(removal.removal_id)).text)).toEqual({
      dns: "not_found",
      well_known: "not_found",
    });
  });
});

describe("answers", () => {
  test("an erased record and one that never was are the same", async () => {
    const answers = ["demo_gone", "demo_never"].map(async (record) => {
      const answer = await post("", { record, proof: "website" });
      const { error } = (await answer.json()) as { error: string };
      return [answer.status, error];
    });
    const [erased, never] = await Promise.all(answers);
    expect(erased).toEqual(never);
    expect(erased?.[0]).toBe(404);
  });

  test.each(["rm_0000000000000000", "rm_x", "", "%00", "rep_0000000000000000", "rm_0000000000000000'--"])(
    "the id %j leads to nothing",
    async (id) => {
      const answer = await call(`/api/v1/removals/${encodeURIComponent(id)}`);
      expect([404, 405]).toContain(answer.status);
    },
  );

  test.each([
    [{}, 400],
    [{ record: "demo_owned" }, 400],
    [{ record: "demo_owned", proof: "dns" }, 400],
    [{ record: ["demo_owned"], proof: "code" }, 400],
    [{ record: "demo_owned", proof: "code", status: "proven" }, 400],
    [{ record: "x".repeat(500), proof: "code" }, 400],
    [{ record: "javascript:alert(1)", proof: "code" }, 404],
    [{ record: "//evil.example/record/demo_owned", proof: "code" }, 404],
  ])("the body %j is refused", async (body, status) => {
    expect((await post("", body)).status).toBe(status);
  });
});

describe("limits", () => {
  test("a network address may start some requests an hour, and a request may look now and then", async () => {
    const headers = { "X-Forwarded-For": "198.51.100.7" };
    for (let at = 0; at < REMOVALS_PER_HOUR; at += 1)
      expect((await post("", { record: "demo_alpha", proof: "code" }, headers)).status).toBe(201);
    const refused = await post("", { record: "demo_alpha", proof: "code" }, headers);
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    const { removal } = await started();
    expect((await check(removal.removal_id)).status).toBe(200);
    expect(await check(removal.removal_id)).toMatchObject({ status: 429 });
    expect(REMOVAL.checkPauseSeconds).toBeGreaterThan(10);
  });

  test("an address may look at few websites an hour", async () => {
    const headers = { "X-Forwarded-For": "198.51.100.8" };
    for (let at = 0; at < REMOVAL_CHECKS_PER_HOUR; at += 1)
      expect((await check("rm_0000000000000000", headers)).status).toBe(404);
    expect((await check("rm_0000000000000000", headers)).status).toBe(429);
  });

  test("other sites may not send it for their visitors, by JSON or by form", async () => {
    const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    const before = (await served.state.removals.list(true)).length;
    expect((await post("", { record: "demo_owned", proof: "code" }, foreign)).status).toBe(403);
    const form = await call("/opt-out/", {
      method: "POST",
      headers: foreign,
      body: new URLSearchParams({ step: "start", record: "demo_owned", proof: "code" }),
    });
    expect(form.status).toBe(403);
    const preflight = await call("/api/v1/removals", { method: "OPTIONS", headers: foreign });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    expect((await served.state.removals.list(true)).length).toBe(before);
  });
});

describe("forms without JavaScript", () => {
  const form = (fields: Record<string, string>) =>
    call("/opt-out/", { method: "POST", body: new URLSearchParams(fields) });
  const next = (answer: Response) => answer.headers.get("location") ?? "";

  test("lead from the record to the request and to its end", async () => {
    const first = await form({ step: "start", record: "demo_owned", proof: "website" });
    expect([first.status, next(first)]).toEqual([
      303,
      expect.stringMatching(/^\/opt-out\/\?record=demo_owned&request=rm_/),
    ]);
    const id = new URLSearchParams(next(first).split("?")[1]).get("request") ?? "";
    const checked = await form({ step: "check", request: id, record: "demo_owned" });
    expect(next(checked)).toBe("/opt-out/not-found/");
    await served.state.removals.prove(id, "well_known");
    const found = await form({ step: "check", request: id, record: "demo_owned" });
    expect(next(found)).toBe(`/opt-out/?record=demo_owned&request=${id}#reason`);
    const sent = await form({ step: "send", request: id, reason: "owner_request" });
    expect(next(sent)).toBe("/opt-out/requested/");
    expect(await served.state.removals.get(id)).toMatchObject({
      status: "requested",
      reason: "owner_request",
    });
    expect(next(await form({ step: "check", request: "rm_0000000000000000", record: "" }))).toBe(
      "/opt-out/unknown/",
    );
  });

  test("refuse programs that fill in every field, and unknown steps", async () => {
    const trapped = await form({ step: "start", record: "demo_owned", proof: "code", [REMOVAL_TRAP]: "x" });
    expect(trapped.status).toBe(400);
    expect((await form({ step: "erase", record: "demo_owned" })).status).toBe(400);
    expect((await form({})).status).toBe(400);
  });
});
