import { expect, test } from "vitest";
import { rowCounts } from "../../../tests/support/state/ask.ts";
import { describeOnBoth, TestState } from "../../../tests/support/state/stores.ts";
import { DAY_MS } from "../../kernel/time.ts";

describeOnBoth("matched releases", (engine) => {
  test("are forgotten with their events, but the newest: it would raise all its events again", async () => {
    await using test = await TestState.open(engine);
    const { publications } = test.state;
    await publications.match("first", ["e1", "e2"]);
    test.pass(DAY_MS);
    await publications.match("second", ["e2", "e3"]);
    test.pass(DAY_MS);
    await publications.prune(test.time);
    expect(await rowCounts(test, ["publications", "matched_events"])).toEqual([1, 1]);
    expect(await publications.match("second", ["e3"])).toBeUndefined();
    expect(await publications.match("third", ["e3", "e4"])).toEqual(["e4"]);
    await publications.prune(0);
    expect(await rowCounts(test, ["publications"])).toEqual([2]);
  });
});
