import { apiReference } from "../render/reference/api-reference.ts";
import { releaseText } from "./release-files.ts";

/** The reference of the API that this release has, read once for all its pages. */
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
