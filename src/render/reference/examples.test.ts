import { expect, test } from "vitest";
import { z } from "zod";
import { gazetteer } from "../../resources/cities/cities.ts";
import { readExample } from "./examples.ts";

test("an example that is missing or does not fit its schema is named, with what to do", () => {
  expect(() => readExample("getNothing", z.unknown())).toThrow(
    /^example of getNothing: .*ENOENT.*: run npm run examples$/,
  );
  const closed = z.strictObject({ cities: z.array(z.string()) });
  expect(() => readExample(gazetteer.operationId, closed)).toThrow(
    /^example of listGazetteerCities: .*cities\[0\].*: run npm run examples$/s,
  );
});
