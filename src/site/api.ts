import { apiReference } from "../render/reference/api-reference.ts";
import { releaseText } from "./release-files.ts";

/** API reference of this release, read once for all its pages. */
export const reference = apiReference(
  JSON.parse(releaseText("openapi.json")),
  JSON.parse(releaseText("api-examples.json")),
);

export function operationPaths() {
  return reference.groups.flatMap((group) =>
    group.operations.map((operation) => ({
      params: { operation: operation.id },
      props: { group, operation },
    })),
  );
}
