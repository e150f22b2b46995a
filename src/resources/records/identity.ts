import { IDENTITY_NOTE } from "../../contract/records/claim-boundary.ts";
import type { IdentityHierarchy } from "../../contract/records/entity.ts";
import { SCOPE_VERSION } from "../../contract/versions.ts";
import type { RecordRow } from "../../snapshot/rows.ts";

/** Reviewed relationships (interface 2.4). Null and empty values mean unreviewed, not that none exist. */
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
