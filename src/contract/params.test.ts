import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SubscribeRequest } from "./accounts/alerts.ts";
import { WebhookRequest } from "./accounts/partner.ts";
import { LIMITS, MAX_QUERY_TEXT } from "./limits.ts";
import {
  CityIndexParams,
  CityOptionsParams,
  CityParams,
  ExplorerParams,
  IndustryOptionsParams,
  ObservationsParams,
  PulseParams,
  RecordParams,
  SearchParams,
} from "./params.ts";

const record = { public_id: "ex_record" };
const city = { city: "exampleville" };

const limited = [
  { name: "search", schema: SearchParams, path: {}, range: LIMITS.search },
  { name: "observations", schema: ObservationsParams, path: record, range: LIMITS.observations },
  { name: "city index", schema: CityIndexParams, path: city, range: LIMITS.cityIndex },
  { name: "explorer", schema: ExplorerParams, path: {}, range: LIMITS.explorer },
  { name: "pulse", schema: PulseParams, path: city, range: LIMITS.pulse },
  { name: "city options", schema: CityOptionsParams, path: {}, range: LIMITS.gazetteer },
  { name: "industry options", schema: IndustryOptionsParams, path: {}, range: LIMITS.taxonomy },
];
const all = [
  ...limited,
  { name: "record", schema: RecordParams, path: record },
  { name: "city", schema: CityParams, path: city },
];

/** The first complaint as `parameter: message`, or undefined when the values are accepted. */
function fault(schema: z.ZodType, values: unknown): string | undefined {
  const issue = schema.safeParse(values).error?.issues[0];
  return issue && `${issue.path.join(".")}: ${issue.message}`;
}

describe.each(limited)("limit of $name", ({ schema, path, range }) => {
  const message = `limit: must be a whole number between 1 and ${range.max}`;

  it("has the default and the maximum of the interface", () => {
    expect(schema.parse(path)).toMatchObject({ ...path, limit: range.default });
    expect(schema.parse({ ...path, limit: "1" })).toMatchObject({ ...path, limit: 1 });
    expect(schema.parse({ ...path, limit: String(range.max) })).toMatchObject({
      ...path,
      limit: range.max,
    });
  });

  it.each([
    "0",
    "",
    " ",
    "1e2",
    "-1",
    "+1",
    "1.0",
    " 1",
    "1 ",
    "1\n",
    "0x10",
    "٣",
    "007",
    "NaN",
    "9".repeat(400),
  ])("refuses %j", (limit) => {
    expect(fault(schema, { ...path, limit })).toBe(message);
  });

  it("refuses one more than the maximum, and a repeated value", () => {
    expect(fault(schema, { ...path, limit: String(range.max + 1) })).toBe(message);
    expect(fault(schema, { ...path, limit: ["1", "1"] })).toBe("limit: must be passed only once");
  });
});

describe("since", () => {
  it.each([
    ["2026-05-01", "2026-05-01T00:00:00Z"],
    ["2026-05-01T09:30:00Z", "2026-05-01T09:30:00Z"],
    ["2026-05-01T09:30:00.999Z", "2026-05-01T09:30:00Z"],
    ["2026-05-01T00:30:00+02:00", "2026-04-30T22:30:00Z"],
    ["1970-01-01", "1970-01-01T00:00:00Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
  ])("reads %s as %s", (since, time) => {
    expect(PulseParams.parse({ ...city, since }).since).toBe(time);
    expect(ObservationsParams.parse({ ...record, since }).since).toBe(time);
  });

  it.each([
    "yesterday",
    "",
    "2026",
    "2026-05",
    "2026-5-1",
    "2026-02-30",
    "2025-02-29",
    "2026-05-01T09:30:00",
    "1767225600",
    "20260501",
    "2026-05-01 09:30:00Z",
    "2026-05-01T24:00:00Z",
  ])("refuses %j", (since) => {
    expect(fault(PulseParams, { ...city, since })).toBe("since: must be an ISO 8601 date or time");
  });

  it("refuses times that ISO 8601 cannot write with four digits, and those before 1970", () => {
    for (const since of ["1969-12-31", "0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
      expect(fault(PulseParams, { ...city, since })).toBe("since: must be between 1970 and 9999");
    expect(fault(PulseParams, { ...city, since: `2026-05-01T00:00:00.${"0".repeat(50)}Z` })).toMatch(
      /^since: /,
    );
    expect(fault(PulseParams, { ...city, since: ["2026-05-01", "2026-05-02"] })).toBe(
      "since: must be passed only once",
    );
  });

  it("gives the same instant back, in a form it accepts again", () => {
    const instant = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true });
    fc.assert(
      fc.property(instant, (date) => {
        const since = PulseParams.parse({ ...city, since: date.toISOString() }).since ?? "";
        expect(Date.parse(since)).toBe(Math.floor(date.getTime() / 1000) * 1000);
        expect(PulseParams.parse({ ...city, since }).since).toBe(since);
      }),
    );
  });
});

describe("other parameters", () => {
  it("cleans text filters and refuses blank and oversized ones", () => {
    expect(SearchParams.parse({ name: "  Café  " }).name).toBe("Café");
    expect(fault(SearchParams, { name: " \t" })).toBe("name: must not be blank");
    expect(fault(SearchParams, { city: "" })).toBe("city: must not be blank");
    expect(fault(SearchParams, { name: "x".repeat(MAX_QUERY_TEXT) })).toBeUndefined();
    expect(fault(SearchParams, { name: "x".repeat(MAX_QUERY_TEXT + 1) })).toMatch(/^name: /);
  });

  it("compares names by part unless asked for the same", () => {
    expect(SearchParams.parse({ name: "a" }).name_match).toBe("contains");
    expect(SearchParams.parse({ name_match: "same" }).name_match).toBe("same");
    for (const value of ["exact", "SAME", ""])
      expect(fault(SearchParams, { name_match: value })).toMatch("name_match: Invalid option");
    expect(fault(SearchParams, { name_match: ["same", "same"] })).toBe(
      "name_match: must be passed only once",
    );
  });

  it("takes the enums of the interface, each value given once", () => {
    expect(
      ExplorerParams.parse({
        asset_type: "billboard",
        claim_state: "claimed",
        first_observed: "90d",
        online_presence: "none",
      }),
    ).toMatchObject({
      asset_type: "billboard",
      claim_state: "claimed",
      first_observed: "90d",
      online_presence: "none",
    });
    for (const name of ["asset_type", "claim_state", "first_observed", "online_presence"]) {
      expect(fault(ExplorerParams, { [name]: "other" })).toMatch(`${name}: Invalid option`);
      expect(fault(ExplorerParams, { [name]: "" })).toMatch(`${name}: Invalid option`);
      expect(fault(ExplorerParams, { [name]: ["none", "none"] })).toBe(`${name}: must be passed only once`);
    }
  });

  it("takes ISIC codes, sections and countries in their own form only", () => {
    for (const industry of ["A", "V", "01", "107", "1071"])
      expect(SearchParams.parse({ industry }).industry).toBe(industry);
    for (const industry of ["", "a", "W", "1", "10711", "AB", "1071 "])
      expect(fault(SearchParams, { industry })).toMatch(/^industry: must be an ISIC/);
    expect(fault(IndustryOptionsParams, { section: "10" })).toMatch(/^section: /);
    expect(fault(CityOptionsParams, { country: "ca" })).toMatch(/^country: /);
    expect(CityOptionsParams.parse({ country: "CA" }).country).toBe("CA");
  });

  it("takes a percentile from 0 to 100", () => {
    for (const [given, read] of [
      ["0", 0],
      ["12.5", 12.5],
      ["100", 100],
      ["100.0", 100],
    ] as const)
      expect(ExplorerParams.parse({ min_percentile: given }).min_percentile).toBe(read);
    for (const given of ["", "-1", "100.01", "101", "1e1", ".5", "NaN", "Infinity"])
      expect(fault(ExplorerParams, { min_percentile: given })).toBe(
        "min_percentile: must be a number between 0 and 100",
      );
  });

  it("takes a city's slug in any case", () => {
    expect(CityParams.parse({ city: "GuELPH" })).toEqual({ city: "guelph" });
    expect(ExplorerParams.parse({ city: "GUELPH" }).city).toBe("guelph");
    expect(SearchParams.parse({ city: " Guelph " }).city).toBe("guelph");
    const subscription = { email: "reader@mail.example", city: "GUELPH" };
    expect(SubscribeRequest.parse(subscription).city).toBe("guelph");
    const webhook = { endpoint_url: "https://partner.example/hook", city: "GUELPH" };
    expect(WebhookRequest.parse(webhook).city).toBe("guelph");
  });

  it("takes a cursor of URL-safe characters", () => {
    expect(CityIndexParams.parse({ ...city, cursor: "WyJhIl0_-" }).cursor).toBe("WyJhIl0_-");
    for (const cursor of ["", "a b", "a/b", "é", "x".repeat(5000)])
      expect(fault(CityIndexParams, { ...city, cursor })).toMatch(/^cursor: /);
  });

  it("refuses empty, oversized and missing path values", () => {
    for (const public_id of ["", "x".repeat(MAX_QUERY_TEXT + 1), undefined])
      expect(RecordParams.safeParse({ public_id }).success).toBe(false);
    expect(CityParams.parse({ city: "exampleville" })).toEqual({ city: "exampleville" });
  });
});

describe.each(all)("parameters of $name", ({ schema, path }) => {
  it("refuses unknown names", () => {
    expect(fault(schema, { ...path, nonsense: "1" })).toBe(': Unrecognized key: "nonsense"');
  });

  it("accepts or refuses any values without throwing, and keeps no list", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
    );
    const names = fc.constantFrom("__proto__x", ...Object.keys(schema.shape));
    fc.assert(
      fc.property(fc.dictionary(names, value, { noNullPrototype: true }), (values) => {
        const parsed = schema.safeParse({ ...path, ...values });
        const repeated = Object.values(values).some(Array.isArray);
        if (repeated) expect(parsed.success).toBe(false);
        for (const kept of Object.values(parsed.data ?? {}))
          expect(["string", "number", "undefined"]).toContain(typeof kept);
      }),
    );
  });
});

it("describes each parameter to clients in the type it is read as", () => {
  for (const { schema } of all) {
    const { properties = {} } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "output" });
    for (const [name, property] of Object.entries(properties)) {
      expect(property, name).toHaveProperty("description");
      if (name === "limit") expect(property).toMatchObject({ type: "integer", minimum: 1 });
      if (name === "min_percentile")
        expect(property).toMatchObject({ type: "number", minimum: 0, maximum: 100 });
    }
  }
});
