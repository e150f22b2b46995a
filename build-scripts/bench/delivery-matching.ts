import { EventType } from "../../src/contract/enums.ts";
import { matchRelease } from "../../src/delivery/match-events.ts";
import type { SubscriptionWish } from "../../src/state/subscriptions/subscription-row.ts";
import { DeliveryWorld, fakeRelease, WISH } from "../../tests/support/delivery/delivery-town.ts";
import type { BenchLine } from "./line.ts";
import { boundLine } from "./table.ts";

const EVENTS = 1000;
const MAX_MATCHING_SECONDS = 5;

/** Matches subscriptions of one city, so each is compared with every event and gets a digest. */
export async function benchMatching(subscriptions: number): Promise<BenchLine> {
  await using world = await DeliveryWorld.open();
  await subscribe(world, subscriptions);
  const release = fakeRelease(
    "bench",
    Array.from({ length: EVENTS }, (_, at) => eventChanges(at)),
  );
  const start = performance.now();
  const matched = await matchRelease(world.state, release);
  const seconds = (performance.now() - start) / 1000;
  if (matched?.events !== EVENTS || matched.digests !== subscriptions)
    throw new Error(`not everything was matched: ${JSON.stringify(matched)}`);
  const name = `${count(subscriptions)} subscriptions matched with ${count(EVENTS)} new events`;
  return boundLine(name, "s", seconds, MAX_MATCHING_SECONDS);
}

export function eventChanges(at: number) {
  return {
    recordPublicId: `demo_${at}`,
    industry: ["5610", "4711", "9602"][at % 3] ?? null,
    type: EventType.options[at % EventType.options.length] ?? "stale_asset",
    confidence: (at % 20) / 20,
  };
}

/** Uses every kind of filter equally often. */
function wishAt(at: number): SubscriptionWish {
  const filters = [
    {},
    { entityPublicId: `demo_${at % EVENTS}` },
    { industryCode: "I" },
    { eventTypes: ["stale_asset"] },
    { minConfidence: 0.9 },
  ] as const;
  return { ...WISH, email: `reader-${at}@mail.test`, ...filters[at % filters.length] };
}

/** Uses one transaction, because subscribing is not measured. */
async function subscribe({ state }: DeliveryWorld, subscriptions: number): Promise<void> {
  await state.transaction(async (stores) => {
    for (let at = 0; at < subscriptions; at += 1) {
      const answer = await stores.subscriptions.request(wishAt(at));
      await stores.subscriptions.confirm(answer.token ?? "");
    }
  });
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
