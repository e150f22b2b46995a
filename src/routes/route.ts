import type { PathValues, QueryValues, ReadContext } from "../resources/define.ts";

/** A public path. The emitter writes instances without arguments as files; the server answers all others. */
export interface Route {
  readonly operationId: string;
  readonly path: `/${string}`; // contains at most one {name}
  readonly contentType: string;
  /** Whether unknown parameters are ignored (feeds, bulk files) or a 400 (/api). */
  readonly ignoresUnknownQuery: boolean;
  /** True when the server computes the response even without arguments. */
  readonly dependsOnTime?: true;
  /** Path of the instance below `site/`. */
  filePath(values: PathValues): string;
  enumerate(snapshot: ReadContext["snapshot"]): Iterable<PathValues>;
  /** Returns the body, identical for file and server. Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, path: PathValues, query: QueryValues): string;
}

/** A path without arguments that equals its file's path. */
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
