/**
 * The subset of OpenAPI 3.1 that our document uses. Strict, so a keyword that the reference does not show is an error. Pages read
 * it, so it imports nothing that reads the examples: compiled pages do not have them.
 */

import { z } from "zod";

const Json = z.json();
const JsonType = z.enum(["string", "integer", "number", "boolean", "object", "array", "null"]);

export const ShapeSchema = z.strictObject({
  $ref: z.string().optional(),
  type: z.union([JsonType, z.array(JsonType).min(1)]).optional(),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  default: Json.optional(),
  enum: z.array(Json).optional(),
  const: Json.optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  propertyNames: z.json().optional(), // repeats the field's description
  get properties() {
    return z.record(z.string(), ShapeSchema).optional();
  },
  get items() {
    return ShapeSchema.optional();
  },
  get anyOf() {
    return z.array(ShapeSchema).optional();
  },
  get oneOf() {
    return z.array(ShapeSchema).optional();
  },
});
export type ShapeSchema = z.infer<typeof ShapeSchema>;

const Content = z.record(z.string(), z.strictObject({ schema: ShapeSchema, example: Json.optional() }));

const Parameter = z.strictObject({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
  description: z.string(),
  schema: ShapeSchema,
  example: Json.optional(),
});
export type ShapeParameter = z.infer<typeof Parameter>;

const Reference = z.strictObject({ $ref: z.string() });

const Response = z.strictObject({
  description: z.string(),
  headers: z.record(z.string(), Reference).optional(), // to the components
  content: Content.optional(),
});
export type ShapeResponse = z.infer<typeof Response>;

const Operation = z.strictObject({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string(),
  description: z.string(),
  deprecated: z.boolean().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.union([Reference, Response])),
});
export type ShapeOperation = z.infer<typeof Operation>;

export const OpenApiShape = z.object({
  info: z.object({ title: z.string(), version: z.string(), summary: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })).min(1),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(
    z.string(),
    z.record(z.enum(["get", "post", "put", "patch", "delete"]), Operation.optional()),
  ),
  components: z.object({
    schemas: z.record(z.string(), ShapeSchema),
    responses: z.record(z.string(), Response),
    headers: z.record(z.string(), z.object({ description: z.string() })),
    securitySchemes: z.record(z.string(), z.object({ description: z.string() })),
  }),
});
export type OpenApiShape = z.infer<typeof OpenApiShape>;

/** Requests in `/api-examples.json`; the document already has their responses. */
export const ExamplesShape = z.object({
  operations: z.array(
    z.object({
      operation_id: z.string(),
      request: z.object({
        method: z.string(),
        path: z.string(),
        headers: z.record(z.string(), z.string()).optional(),
        body: Json.optional(),
      }),
    }),
  ),
});
export type ExampleRequest = z.infer<typeof ExamplesShape>["operations"][number]["request"];
