import { expect, test } from "vitest";
import { rowCounts } from "../../../tests/support/state/ask.ts";
import { describeOnBoth, TestState } from "../../../tests/support/state/stores.ts";
import { DAY_MS } from "../../kernel/time.ts";

const at = (confidence: number, ids: readonly string[]) => ids.map((id) => ({ id, confidence }));

describeOnBoth("matched releases", (engine) => {
  test("are forgotten with their events, but the newest: it would raise all its events again", async () => {
    await using test = await TestState.open(engine);
    const { publications } = test.state;
    await publications.match("first", at(0.6, ["e1", "e2"]));
    test.pass(DAY_MS);
    await publications.match("second", at(0.6, ["e2", "e3"]));
    test.pass(DAY_MS);
    await publications.prune(test.time);
    expect(await rowCounts(test, ["publications", "matched_events"])).toEqual([1, 1]);
    expect(await publications.match("second", at(0.6, ["e3"]))).toBeUndefined();
    expect(await publications.match("third", at(0.6, ["e3", "e4"]))).toEqual(new Map([["e4", undefined]]));
    await publications.prune(0);
    expect(await rowCounts(test, ["publications"])).toEqual([2]);
  });

  test("keep the highest confidence of an event: it is told of again when it is more certain than ever", async () => {
    await using test = await TestState.open(engine);
    const { publications } = test.state;
    await publications.match("first", at(0.6, ["e1", "e2"]));
    expect(await publications.match("second", at(0.85, ["e1"]))).toEqual(new Map([["e1", 0.6]]));
    expect(await publications.match("third", at(0, ["e1", "e2"]))).toEqual(new Map());
    expect(await publications.match("fourth", at(0.85, ["e1", "e2"]))).toEqual(new Map([["e2", 0.6]]));
    expect(await publications.match("fifth", at(0.9, ["e1"]))).toEqual(new Map([["e1", 0.85]]));
  });
});
