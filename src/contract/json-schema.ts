import { z } from "zod";
import type { JsonObject } from "../kernel/canonical-json.ts";

type Schemas = { readonly [name: string]: JsonObject };

export interface NamedSchemas {
  /** The schemas with a `.meta` id, by that id; they refer to each other as `#/components/schemas/<id>`. */
  readonly components: Schemas;
  /** Each of the given schemas by its key: a reference where it has an id. */
  readonly schemas: Schemas;
}

/** JSON Schema (2020-12) of what the given zod schemas let out, ready for an OpenAPI document. */
export function jsonSchemas(given: z.ZodRawShape): NamedSchemas {
  const made = z.toJSONSchema(z.object(given), {
    target: "draft-2020-12",
    io: "output",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return { components: plain(made.$defs ?? {}), schemas: plain(made.properties ?? {}) };
}

/** What a client must not rely on, or would only stumble over. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // Adding a member breaks no client, so no object is closed.
  const { additionalProperties: open } = schema;
  if (open === false) delete schema.additionalProperties;
  if (typeof open === "object" && Object.keys(open).length === 0) schema.additionalProperties = true;
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function plain(schemas: { readonly [name: string]: unknown }): Schemas {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
