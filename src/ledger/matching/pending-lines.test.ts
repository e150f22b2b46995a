import { expect, test } from "vitest";
import { NOW, sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import { openLedgerReader } from "../reader.ts";

const TODAY = utcDayStart(NOW);
const keys = (lines: readonly { readonly key: string }[]) => lines.map(({ key }) => key);

test("lines of one day come in the order of their keys, chunk by chunk, for the writer and for a reader", async () => {
  using it = testLedger();
  for (const batch of ["a", "b", "c"])
    await it.accept(Array.from({ length: 5 }, (_, at) => sighting(`${batch}${at}`)));
  it.clock.time += DAY_MS;
  await it.accept([sighting("of the next day")]);
  using reader = openLedgerReader(it.ledger.path);
  for (const order of [it.ledger.pendingOrder(), reader.pendingOrder()]) {
    const all = keys(order.read(TODAY, { from: 0, limit: 99 }));
    expect(all).toEqual([...all].sort());
    expect(all).toHaveLength(15);
    const chunks = [0, 4, 8, 12, 16].flatMap((from) => keys(order.read(TODAY, { from, limit: 4 })));
    expect(chunks).toEqual(all);
    expect(order.read(TODAY + DAY_MS, { from: 0, limit: 99 })).toHaveLength(1);
  }
});

test("lines that were taken or held leave the places of the others as they are", async () => {
  using it = testLedger();
  await it.accept(Array.from({ length: 9 }, (_, at) => sighting(`r${at}`)));
  const order = it.ledger.pendingOrder();
  const first = order.read(TODAY, { from: 0, limit: 3 });
  const rest = keys(it.ledger.pendingOrder().read(TODAY, { from: 0, limit: 99 })).slice(3);
  const again = order.read(TODAY, { from: 0, limit: 3 });
  expect(keys(again)).toEqual(keys(first));
  const [held] = first;
  it.ledger.transaction(() => {
    if (held !== undefined) it.ledger.pending.hold(held.id, "generic_name");
    it.ledger.pending.removeTaken(first.map(({ id }) => id));
  });
  expect(keys(order.read(TODAY, { from: 3, limit: 99 }))).toEqual(rest);
  expect(it.ledger.pending.counts()).toMatchObject({ waiting: 6, held: 1 });
});
