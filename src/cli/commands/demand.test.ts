import { expect, test } from "vitest";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestState } from "../../../tests/support/state/stores.ts";
import { requestRecord } from "../../activity/seen-request.ts";
import { loadGazetteer } from "../../intake/places/gazetteer.ts";

const UNSEEN = { clientId: null, timedOut: false, foundNothing: true, message: null };

/** What `presence demand` prints. */
async function demand(world: TestState, ...args: string[]): Promise<string> {
  const { stdout } = await presenceAt(world.home, ["demand", ...args], { clock: () => world.time });
  return stdout;
}

test("lists cities outside the service from 10 clients on, by name, and nothing else that was typed", async () => {
  await using world = await TestState.open("sqlite", "2026-05-08T12:00:00Z");
  const [city, another] = loadGazetteer(world.home.gazetteer);
  if (city === undefined || another === undefined) throw new Error("an empty catalogue");
  const geonameIds = new Map([
    ["asked often", city.geonameId],
    ["asked seldom", another.geonameId],
  ]);
  const known = {
    isInternal: () => false,
    places: (text: string) => {
      const geonameId = geonameIds.get(text);
      return geonameId === undefined ? undefined : ({ kind: "outside", geonameId } as const);
    },
  };
  const search = (text: string, client: number) =>
    requestRecord(
      {
        ...UNSEEN,
        at: world.time,
        times: 1,
        method: "GET",
        url: `/api/v1/search?name=x&city=${encodeURIComponent(text)}`,
        status: 200,
        latencyMs: 1,
        userAgent: "browser",
        address: `192.0.2.${client}`,
      },
      known,
    );
  const clients = Array.from({ length: 10 }, (_, client) => client);
  await world.state.usage.record([
    ...clients.map((client) => search("asked often", client)),
    ...clients.slice(1).map((client) => search("asked seldom", client)),
    ...clients.map((client) => search("John Smith", client)),
    search("asked often", 0),
  ]);
  const { geonameId, name, region, countryCode } = city;
  const listed = {
    geoname_id: geonameId,
    name,
    region,
    country: countryCode,
    searches: 11,
    daily_clients: 10,
  };
  expect(JSON.parse(await demand(world, "--json"))).toEqual({
    from: "2026-04-09",
    to: "2026-05-08",
    counted_since: "2026-05-08",
    min_clients: 10,
    cities: [listed],
  });
  const text = await demand(world);
  expect(text).toContain(name);
  expect(text).toContain("11 searches by 10 clients");
  expect(text).not.toContain("John");
  world.pass(40 * 24 * 3_600_000);
  expect(JSON.parse(await demand(world, "--json"))).toMatchObject({ cities: [] });
});
