import { expect, test } from "vitest";
import { describeOnBoth, TestState } from "../../tests/support/state/stores.ts";
import { REMOVAL, REMOVALS_KEPT_DAYS } from "../contract/limits.ts";
import { DAY_MS, SECOND_MS } from "../kernel/time.ts";

describeOnBoth("requests for removal", (engine) => {
  test("a request is proven, then sent, then decided, each once", async () => {
    await using own = await TestState.open(engine);
    const { removals } = own.state;
    const { publicId, status } = await removals.start("pr_1", "website");
    expect([publicId.slice(0, 3), publicId.length, status]).toEqual(["rm_", 19, "unproven"]);
    expect(await removals.request(publicId, "owner_request")).toBeUndefined(); // not proven yet
    expect(await removals.list()).toEqual([]);
    await removals.prove(publicId, "dns");
    await removals.prove(publicId, "well_known");
    expect(await removals.get(publicId)).toMatchObject({ status: "proven", provenBy: "dns" });
    expect(await removals.request(publicId, "safety")).toMatchObject({
      status: "requested",
      reason: "safety",
    });
    expect(await removals.request(publicId, "owner_request")).toBeUndefined();
    expect((await removals.list()).map((each) => each.publicId)).toEqual([publicId]);
    expect(await removals.resolve(publicId, "declined", "privacy-desk")).toMatchObject({
      status: "declined",
    });
    expect(await removals.resolve(publicId, "carried_out", "privacy-desk")).toBeUndefined();
    expect(await removals.list()).toEqual([]);
  });

  test("what nobody proves in time is gone, and what has ended goes later", async () => {
    await using own = await TestState.open(engine);
    const { removals } = own.state;
    const open = await removals.start("pr_1", "website");
    const ended = await removals.start("pr_2", "website");
    await removals.prove(ended.publicId, "dns");
    await removals.request(ended.publicId, "owner_request");
    own.pass(REMOVAL.provenWithinDays * DAY_MS);
    expect(await removals.get(open.publicId)).toBeUndefined();
    expect(await removals.prune()).toBe(1);
    await removals.resolve(ended.publicId, "carried_out", "privacy-desk");
    own.pass(REMOVALS_KEPT_DAYS * DAY_MS - 1);
    expect(await removals.prune()).toBe(0);
    own.pass(1);
    expect(await removals.prune()).toBe(1);
    expect(await removals.list(true)).toEqual([]);
  });

  test("looks for the token are rare, also when asked for at once, and end some time", async () => {
    await using own = await TestState.open(engine);
    await using second = await own.another();
    const { publicId } = await own.state.removals.start("pr_1", "website");
    const states = [own.state, second, own.state, second];
    const starts = await Promise.all(states.map(({ removals }) => removals.startCheck(publicId)));
    expect(starts.map((start) => start?.outcome).sort()).toEqual([
      "allowed",
      "too_soon",
      "too_soon",
      "too_soon",
    ]);
    expect(starts.find((start) => start?.outcome === "too_soon")).toMatchObject({
      waitMs: REMOVAL.checkPauseSeconds * SECOND_MS,
    });
    for (let at = 1; at < REMOVAL.maxChecks; at += 1) {
      own.pass(REMOVAL.checkPauseSeconds * SECOND_MS);
      expect(await own.state.removals.startCheck(publicId)).toMatchObject({ outcome: "allowed" });
    }
    own.pass(REMOVAL.checkPauseSeconds * SECOND_MS);
    expect(await own.state.removals.startCheck(publicId)).toEqual({ outcome: "too_often" });
    expect(await own.state.removals.startCheck("rm_0000000000000000")).toBeUndefined();
  });

  test("a code is stored as a keyed hash, is typed in any form, and is void after five wrong ones", async () => {
    await using own = await TestState.open(engine);
    const { removals } = own.state;
    const { publicId } = await removals.start("pr_1", "code");
    const first = (await removals.issueCode(publicId)) ?? "";
    expect(first).toMatch(/^([0-9a-z]{4}-){3}[0-9a-z]{4}$/);
    const second = (await removals.issueCode(publicId)) ?? "";
    expect(await removals.enterCode(publicId, first)).toBe("wrong_code");
    expect(JSON.stringify(await removals.list(true))).not.toContain(second);
    expect(await removals.enterCode(publicId, ` ${second.toUpperCase().replaceAll("-", " ")}`)).toBe(
      "proven",
    );
    expect(await removals.enterCode(publicId, second)).toBe("no_code");
    expect(await removals.get(publicId)).toMatchObject({ status: "proven", provenBy: "code" });

    const other = await removals.start("pr_1", "code");
    const code = (await removals.issueCode(other.publicId)) ?? "";
    for (let at = 0; at < REMOVAL.codeAttempts; at += 1)
      expect(await removals.enterCode(other.publicId, "wrong")).toBe("wrong_code");
    expect(await removals.enterCode(other.publicId, code)).toBe("no_code");
    own.pass(REMOVAL.codeDays * DAY_MS);
    expect(await removals.issueCode(other.publicId)).toBeUndefined();
  });

  test("an opt-out takes the record out of every request; one that awaited it is carried out, an unproven one looks as before", async () => {
    await using own = await TestState.open(engine);
    const { removals } = own.state;
    const sent = await removals.start("pr_gone", "website");
    await removals.prove(sent.publicId, "well_known");
    await removals.request(sent.publicId, "owner_request");
    const stranger = await removals.start("pr_gone", "website");
    const other = await removals.start("pr_stays", "website");
    const before = await removals.get(stranger.publicId);
    expect(await own.state.forgetRecord("pr_gone", () => undefined)).toMatchObject({ removals: 2 });
    expect(await removals.get(sent.publicId)).toMatchObject({ status: "carried_out", record: null });
    expect(await removals.get(stranger.publicId)).toEqual({ ...before, record: null });
    expect(await removals.get(other.publicId)).toMatchObject({ record: "pr_stays" });
  });
});
