import { IDENTITY_NOTE } from "../../contract/records/claim-boundary.ts";
import type { IdentityHierarchy } from "../../contract/records/entity.ts";
import { SCOPE_VERSION } from "../../contract/versions.ts";
import type { RecordRow } from "../../snapshot/rows.ts";

/** Reviewed relationships only (interface 2.4); without a review everything is null or empty, which denies nothing. */
export function identityHierarchy(identity: RecordRow["identity"]): IdentityHierarchy {
  const review_state = identity === null ? "unreviewed" : "reviewed";
  return {
    review_state,
    scope: { value: identity?.scope ?? null, review_state, methodology_version: SCOPE_VERSION },
    brand: identity?.brand ?? null,
    organizations: identity?.organizations ?? [],
    note: IDENTITY_NOTE,
  };
}
