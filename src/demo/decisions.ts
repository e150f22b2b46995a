import { SeededNumbers } from "../kernel/seeded.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { Reason } from "../review/reasons.ts";
import type { Business } from "./businesses.ts";
import type { Namesakes } from "./cast.ts";
import { type Decision, type Desk, onlineChecks } from "./desk.ts";
import { CITIES } from "./fixture.ts";
import { identityOf } from "./identities.ts";
import type { Thread } from "./sightings.ts";

/** All decisions about an ordinary business over the year. */
export function decisionsAbout(thread: Thread): Decision[] {
  const { business } = thread;
  const numbers = new SeededNumbers(`decisions about ${business.name} in ${business.city.slug}`);
  return [
    ...classified(business, numbers),
    ...judged(thread, numbers),
    ...retired(thread, numbers),
    ...claimed(business, numbers),
    ...onlineChecks(business, numbers),
  ];
}

/** An industry suggested by the name stays under review until a decision; half are decided. */
function classified(business: Business, numbers: SeededNumbers): Decision[] {
  const { industry, declared, from } = business;
  if (declared || industry === null || numbers.chance(0.5)) return [];
  const act = (desk: Desk) =>
    desk.review("classify", desk.record(business), "industry_confirmed", { industry });
  return [{ night: from + numbers.between(15, 60), act }];
}

function judged({ sightings }: Thread, numbers: SeededNumbers): Decision[] {
  return sightings.flatMap(({ night, line }) => {
    const decided = numbers.weighted([
      [undefined, 980],
      [["verify", "picture_clear"], 13],
      [["reject", "wrong_subject"], 3],
      [["reject", "picture_unclear"], 2],
      [["leave", "picture_unclear"], 2], // somebody looks, and decides nothing
    ] as const);
    if (decided === undefined) return [];
    const [decision, reason] = decided;
    const decidedOn = night + numbers.between(2, 12);
    if (decision === "leave") return [];
    return { night: decidedOn, act: (desk) => desk.review(decision, desk.observation(line), reason) };
  });
}

/** Some removed signs are retired by hand; a few come back. */
function retired({ business, sightings }: Thread, numbers: SeededNumbers): Decision[] {
  const seen = new Set(sightings.map(({ asset }) => asset));
  return business.assets.flatMap((asset): Decision[] => {
    if (asset.type !== "temp_sign" || !seen.has(asset) || !numbers.chance(0.3)) return [];
    const night = asset.until + numbers.between(5, 25);
    const review = (decision: "retire" | "unretire", reason: Reason) => (desk: Desk) =>
      desk.review(decision, desk.asset(business, asset), reason);
    const retire = { night, act: review("retire", "taken_down") };
    if (!numbers.chance(0.2)) return [retire];
    return [retire, { night: night + 9, act: review("unretire", "still_there") }];
  });
}

/** One business in seven claims its record; some are verified, and a few that ended are dissolved. */
function claimed(business: Business, numbers: SeededNumbers): Decision[] {
  const { from, until, city } = business;
  if (until < city.last_day && numbers.chance(0.25))
    return [{ night: until + 40, act: (desk) => desk.status(business, "dissolved") }];
  if (!numbers.chance(0.15)) return [];
  const night = from + numbers.between(20, 90);
  const claim = { night, act: (desk: Desk) => desk.status(business, "claimed") };
  if (!numbers.chance(0.5)) return [claim];
  const identity = identityOf(business, numbers);
  return [
    claim,
    { night: night + 14, act: (desk) => desk.status(business, "verified") },
    { night: night + 15, act: (desk) => desk.identity(business, identity) },
  ];
}

/** Decisions about two places of one name. */
export function namesakeDecisions({ outcome, threads: [{ business }] }: Namesakes): Decision[] {
  const night = business.city.last_day - 80;
  if (outcome === "open") return [];
  const act = (desk: Desk) => {
    const [first, second] = desk.records(business);
    if (first === undefined || second === undefined) throw new Error(`${business.name} is not two records`);
    if (outcome === "merged") desk.review("merge", second, "same_business", { into: first });
    else desk.review("settle_match", second, "different_businesses");
  };
  return [{ night, act }];
}

/** The steps of the cities. */
export function cityDecisions(): Decision[] {
  return CITIES.flatMap((city) =>
    city.steps.map(([night, step]) => ({ night, act: (desk: Desk) => desk.step(city, step) })),
  );
}

const FLAG_NIGHT = Date.parse("2026-09-21") / DAY_MS;

/** Three often seen businesses are flagged for an integrity review, and one of them is cleared. */
export function flagDecisions(threads: readonly Thread[]): Decision[] {
  const busy = threads.filter(({ business }) => business.declared && business.visits > 100).slice(0, 3);
  return busy.flatMap(({ business }, serial): Decision[] => {
    const flag = (desk: Desk) => desk.review("flag", desk.record(business), "suspicious_pattern");
    const unflag = (desk: Desk) => desk.review("unflag", desk.record(business), "checked_genuine");
    const flagged = { night: FLAG_NIGHT + serial, act: flag };
    return serial > 0 ? [flagged] : [flagged, { night: FLAG_NIGHT + 10, act: unflag }];
  });
}
