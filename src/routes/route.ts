import type { PathValues, QueryValues, ReadContext } from "../resources/define.ts";

/** A public address: the emitter writes its argument-less instances as files, the server answers everything else. */
export interface Route {
  readonly operationId: string;
  readonly path: `/${string}`; // holds one {name} at most
  readonly contentType: string;
  /** Feeds and bulk files ignore unknown parameters; under /api they are a 400. */
  readonly ignoresUnknownQuery: boolean;
  /** The server answers it anew where files would do for others. */
  readonly dependsOnTime?: true;
  /** Where the instance lies under `site/`. */
  filePath(values: PathValues): string;
  enumerate(snapshot: ReadContext["snapshot"]): Iterable<PathValues>;
  /** The whole body: the file and the server send the same bytes. Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, path: PathValues, query: QueryValues): string;
}

/** An address without arguments that is its file's path as well. */
export function fileRoute(
  operationId: string,
  path: Route["path"],
  contentType: string,
  text: (snapshot: ReadContext["snapshot"]) => string,
): Route {
  return {
    operationId,
    path,
    contentType,
    ignoresUnknownQuery: true,
    filePath: () => path.slice(1),
    enumerate: () => [{}],
    answer: ({ snapshot }) => text(snapshot),
  };
}

/** A path with its {names} filled in, percent-encoded. */
export function fill(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}
