import { expect, test } from "vitest";
import { fakeContext, fakeSnapshot } from "../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../kernel/errors.ts";
import { resources } from "./index.ts";

/** Every public read of the interface (4.1 to 4.16, 4.18) the list of withdrawals, the rules of independence, the accuracy of a city and the parts of its map, with the errors it declares beside 429. */
const INTERFACE = {
  "/api/v1/search": ["searchEntities", 400, 410],
  "/api/v1/entity/{public_id}": ["getEntity", 400, 404],
  "/api/v1/entity/{public_id}/evidence": ["getEvidencePacket", 400, 404],
  "/api/v1/citation/{id}": ["getCitation", 400, 404],
  "/api/v1/presence-score/{public_id}": ["getPresenceScore", 400, 404],
  "/api/v1/observations/{public_id}": ["listObservations", 400, 404, 410],
  "/api/v1/city/{city}/index": ["getCityIndex", 400, 404, 410],
  "/api/v1/coverage-status/{city}": ["getCoverageStatus", 400, 404],
  "/api/v1/city/{city}/accuracy": ["getCityAccuracy", 400, 404],
  "/api/v1/city/{city}/cells/{area}": ["getCityArea", 400, 404],
  "/api/v1/explorer.csv": ["exportExplorerCsv", 400, 404],
  "/api/v1/locations/cities": ["listGazetteerCities", 400],
  "/api/v1/taxonomy/industries": ["listIndustries", 400],
  "/api/v1/cities": ["listCities", 400],
  "/api/v1/methodology/metrics": ["getMethodologyMetrics", 400],
  "/api/v1/independence": ["getIndependence", 400],
  "/api/v1/search-ai-readiness": ["getSearchAiReadiness", 400],
  "/api/v1/machine-activity": ["getMachineActivity", 400],
  "/api/v1/pulse/{city}": ["getPulse", 400, 404, 410],
  "/api/v1/status": ["getPublicSystemStatus", 400],
  "/api/v1/ledger-checkpoints": ["listLedgerCheckpoints", 400],
  "/api/v1/withdrawals": ["listWithdrawals", 400],
};

test("the registry is the interface", () => {
  const registry = resources.map(({ path, operationId, errors }) => [path, [operationId, ...errors]]);
  expect(Object.fromEntries(registry)).toEqual(INTERFACE);
  expect(registry).toHaveLength(Object.keys(INTERFACE).length);
});

test.each(resources)("$operationId is documented in full", (resource) => {
  expect(resource.operationId).toMatch(/^(search|get|list|export)[A-Z][A-Za-z]+$/);
  expect(resource.summary.length).toBeLessThanOrEqual(90);
  expect(resource.summary).not.toMatch(/\.$/);
  expect(resource.description).toMatch(/\.$/);
  for (const schema of [...Object.values(resource.pathParams.shape), ...Object.values(resource.query.shape)])
    expect(schema.description).toMatch(/\w/);
});

test.each(resources)(
  "$operationId has an example request whose values are its own parameters",
  (resource) => {
    expect(resource.pathParams.safeParse(resource.example.path).error).toBeUndefined();
    expect(resource.query.safeParse(resource.example.query).error).toBeUndefined();
    expect(Object.keys(resource.example.path)).toEqual(
      [...resource.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
  },
);

test.each(resources)("$operationId answers each of its files", (resource) => {
  const context = fakeContext();
  const instances = [...resource.enumerate(context.snapshot)];
  expect(instances).not.toHaveLength(0);
  for (const path of instances)
    expect(resource.wire.safeParse(resource.read(context, path, {})).error).toBeUndefined();
});

test("what becomes a file: each record, each city, and one of all else", () => {
  const snapshot = fakeSnapshot();
  const counts = new Map(
    resources.map((resource) => [resource.path, [...resource.enumerate(snapshot)].length]),
  );
  for (const [path, count] of counts)
    expect(count).toBe(/\{(public_id|id)\}/.test(path) ? 5 : path.includes("{") ? 2 : 1);
});

test.each(resources)("$operationId refuses an unknown parameter by name", (resource) => {
  const [path = {}] = resource.enumerate(fakeSnapshot());
  expect(() => resource.read(fakeContext(), path, { colour: "red" })).toThrow(
    new PublicError(400, "unknown parameter: colour", { code: "unknown_parameter" }),
  );
});

test.each([
  [{ q: "cafe" }, "unknown parameter: q; did you mean name?", { did_you_mean: "name" }],
  [{ indutsry: "x" }, "unknown parameter: indutsry; did you mean industry?", { did_you_mean: "industry" }],
  [{ page: "2" }, "unknown parameter: page; did you mean cursor?", { did_you_mean: "cursor" }],
  [{ constructor: "x" }, "unknown parameter: constructor", {}],
])("search leads from %o to the parameter that was meant", (query, message, near) => {
  const search = resources.find(({ path }) => path === "/api/v1/search");
  expect(() => search?.read(fakeContext(), {}, query)).toThrow(
    new PublicError(400, message, { code: "unknown_parameter", ...near }),
  );
});

test.each(resources.filter(({ path }) => path.includes("{")))(
  "$operationId is a 404 for an unknown name",
  (resource) => {
    const [path = {}] = resource.enumerate(fakeSnapshot());
    for (const value of ["nowhere", "__proto__", "constructor", "é", "a".repeat(5000), "\u0000"]) {
      const unknown = Object.fromEntries(Object.keys(path).map((name) => [name, value]));
      expect(() => resource.read(fakeContext(), unknown, {})).toThrow(
        expect.objectContaining({ status: 404 }),
      );
    }
  },
);

test.each(resources)("$operationId refuses repeated and blank parameters", (resource) => {
  const [path = {}] = resource.enumerate(fakeSnapshot());
  for (const name of Object.keys(resource.query.shape)) {
    const fault = expect.objectContaining({ status: 400, message: expect.stringContaining(name) });
    expect(() => resource.read(fakeContext(), path, { [name]: ["1", "1"] })).toThrow(fault);
    expect(() => resource.read(fakeContext(), path, { [name]: "" })).toThrow(fault);
  }
});
