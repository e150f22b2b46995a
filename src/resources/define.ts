import { z } from "zod";
import { memberNames, PLAIN_FAULTS, queryFaultSentence, unknownName } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** Data sources of a read: the current release and earlier releases that cursors may refer to. */
export interface ReadContext {
  readonly snapshot: Snapshot;
  /** Returns the earlier release with a city's snapshot id; undefined when it has expired (410). */
  citySnapshot(city: string, snapshotId: string): Snapshot | undefined;
  /** Returns the earlier release of an id, for lists over all cities; undefined when it has expired. */
  releaseSnapshot(releaseId: string): Snapshot | undefined;
  /** Time of the request, in ms. Undefined at build, where time-dependent reads use the release time. */
  readonly now?: number;
  /** Whether a newer release waits for the operator's approval; undefined at build. */
  readonly isReleaseHeld?: boolean;
}

export type PathValues = Readonly<Record<string, string>>;
export type QueryValues = Readonly<Record<string, string | readonly string[]>>;

/** Request to the example world; fixtures/examples has the response. */
interface ExampleRequest {
  readonly path: PathValues;
  readonly query: QueryValues;
}

/** What is known of a read without asking it: shared by the emitter, the router, OpenAPI, the pages and the MCP tools. */
interface ResourceFacts<W> {
  readonly operationId: string;
  readonly path: `/${string}`; // with {names} of path parameters
  readonly summary: string; // one line, shown in the reference
  readonly description: string;
  readonly wire: z.ZodType<W>;
  readonly example: ExampleRequest;
  readonly errors: readonly (400 | 404 | 410)[]; // declared in addition to 200
  /** The response depends on the request time. Its file is the response at build time. */
  readonly dependsOnTime?: true;
  /** Returns the instances without arguments that become files. */
  enumerate(snapshot: Snapshot): Iterable<PathValues>;
}

interface Definition<P extends z.ZodRawShape, Q extends z.ZodRawShape, W> extends ResourceFacts<W> {
  readonly pathParams: P;
  readonly query: Q;
  /** Returns the wire object, or undefined for 404. */
  load(context: ReadContext, path: z.output<z.ZodObject<P>>, query: z.output<z.ZodObject<Q>>): W | undefined;
}

/** A public read operation. */
export interface Resource<W = unknown> extends ResourceFacts<W> {
  readonly pathParams: z.ZodObject;
  readonly query: z.ZodObject;
  /** Parses the input, loads and parses the output. Throws PublicError 400 (naming the parameter), 404 or 410. */
  read(context: ReadContext, path: PathValues, query: QueryValues): W;
}

/** What is left to say of a read that takes no arguments but those of its path. */
export type DocumentFacts<W> = Omit<ResourceFacts<W>, "example" | "errors" | "enumerate">;

/** A read without arguments: a release has one document of it. */
export function defineDocument<W>(
  definition: DocumentFacts<W> & { load(context: ReadContext): W },
): Resource<W> {
  const nothing = { pathParams: {}, query: {}, example: { path: {}, query: {} } };
  return defineResource({ ...nothing, errors: [400], enumerate: () => [{}], ...definition });
}

export function defineResource<P extends z.ZodRawShape, Q extends z.ZodRawShape, W>(
  definition: Definition<P, Q, W>,
): Resource<W> {
  const pathParams = z.strictObject(definition.pathParams);
  const query = z.strictObject(definition.query);
  return {
    ...definition,
    pathParams,
    query,
    read(context, pathValues, queryValues) {
      const path = parseOr(404, pathParams, pathValues);
      const parameters = parseOr(400, query, queryValues);
      const loaded = definition.load(context, path, parameters);
      if (loaded === undefined) throw new PublicError(404, "not found");
      return definition.wire.parse(loaded);
    },
  };
}

function parseOr<S extends z.ZodType>(status: 400 | 404, schema: S, values: unknown): z.output<S> {
  const parsed = schema.safeParse(values, PLAIN_FAULTS);
  if (parsed.success) return parsed.data;
  throw status === 404
    ? new PublicError(404, "not found")
    : parameterFault(parsed.error, memberNames(schema));
}

function parameterFault(error: z.ZodError, known: readonly string[]): PublicError {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") return unknownName("parameter", issue.keys, known);
  return new PublicError(400, issue === undefined ? "the request is invalid" : queryFaultSentence(issue));
}
