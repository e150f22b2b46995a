import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exampleAnswer } from "../render/reference/examples.ts";
import { explorerCsv } from "../resources/cities/tables.ts";
import { resources } from "../resources/index.ts";
import { systemStatus } from "../resources/service/system-status.ts";
import { ErrorBody } from "./envelope.ts";

type Path = readonly (string | number)[];
type Change = (holder: Record<string, unknown>, key: string) => void;

const incident = {
  id: "ex_incident",
  title: "Late release",
  status: "resolved",
  started_at: "2026-06-10T02:00:00Z",
  resolved_at: "2026-06-10T03:30:00Z",
  message: "The nightly release was published 90 minutes late. No data was lost.",
};

/** What the example of an answer lacks. */
const MORE: Readonly<Record<string, object>> = { [systemStatus.operationId]: { incidents: [incident] } };

const responses: readonly { readonly name: string; readonly schema: z.ZodType; readonly example: unknown }[] =
  [
    ...resources
      .filter(({ operationId }) => operationId !== explorerCsv.operationId) // CSV
      .map((resource) => {
        const example = exampleAnswer(resource);
        const more = MORE[resource.operationId];
        return {
          name: resource.operationId,
          schema: resource.wire,
          example: more === undefined ? example : Object.assign({}, example, more),
        };
      }),
    { name: "error", schema: ErrorBody, example: { error: "not found", code: "not_found" } },
  ];

/** Every member of every object within a value, as a path; array elements count by their index. */
function memberPaths(value: unknown, at: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => memberPaths(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...memberPaths(inner, [...at, key])]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of `value` in which the object holding the member at `path` was passed through `change`. */
function changed(value: unknown, path: Path, change: Change) {
  const copy: unknown = structuredClone(value);
  let holder: unknown = copy;
  for (const step of path.slice(0, -1)) {
    if (Array.isArray(holder)) holder = holder[Number(step)];
    else if (isObject(holder)) holder = holder[step];
  }
  if (isObject(holder)) change(holder, String(path.at(-1)));
  return copy;
}

/** `rankings[].pps`: the same for all elements of an array. */
function pattern(path: Path): string {
  return path.map((step) => (typeof step === "number" ? "[]" : `.${step}`)).join("");
}

const setNull: Change = (holder, key) => {
  holder[key] = null;
};
const addMember: Change = (holder) => {
  holder["added_later"] = [1];
};
const emptied = (example: unknown) => (Array.isArray(example) ? [{}] : {});

const required = (path: Path) => path.at(-1) !== "example_only";

describe.each(responses)("$name", ({ schema, example }) => {
  const json = z.toJSONSchema(schema, { target: "draft-2020-12", io: "output" });
  const validate = addFormats.default(new Ajv2020({ strict: false })).compile(json);

  it("accepts its example and hands it on unchanged", () => {
    expect(schema.parse(example)).toEqual(example);
  });

  it("refuses each missing member, at every depth", () => {
    const optional = memberPaths(example)
      .filter(required)
      .filter(
        (path) => schema.safeParse(changed(example, path, (holder, key) => delete holder[key])).success,
      );
    expect(optional.map(pattern)).toEqual([]);
  });

  it("accepts null where its published schema allows it, and nowhere else", () => {
    for (const path of memberPaths(example)) {
      const nulled = changed(example, path, setNull);
      expect(schema.safeParse(nulled).success, pattern(path)).toBe(validate(nulled));
    }
  });

  it("accepts members it does not know, in every object", () => {
    for (const path of memberPaths(example)) {
      const more = changed(example, path, addMember);
      expect(schema.parse(more)).toEqual(more);
    }
  });

  it("becomes a JSON Schema (2020-12) that a validator applies to the example alike", () => {
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(emptied(example))).toBe(false);
    expect(JSON.stringify(json)).not.toContain('"additionalProperties":false');
  });
});

it("names each schema once, so that one document can hold them all", () => {
  const all = z.looseObject(Object.fromEntries(responses.map(({ name, schema }) => [name, schema])));
  const { $defs = {} } = z.toJSONSchema(all, { target: "draft-2020-12", io: "output" });
  for (const { schema } of responses) {
    const { id, description } = schema.meta() ?? {};
    expect($defs[String(id)]).toMatchObject({ description });
  }
});
