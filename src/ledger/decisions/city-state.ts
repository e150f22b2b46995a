import type { CollectionStatus, PublicationStatus } from "../../contract/enums.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { CityBody, CityDetails } from "../rows/rows.ts";

/** A city as its rows leave it. */
export interface CityState {
  readonly id: number; // the row that registered it first
  readonly slug: string;
  readonly registeredAt: number; // ms, the UTC day of that row
  readonly details: CityDetails;
  readonly publicationStatus: PublicationStatus;
  readonly collectionStatus: CollectionStatus;
  readonly launched: boolean;
  readonly denominatorReviewed: boolean;
}

export type CityStep = Exclude<CityBody["step"], "register">;

const STEPS: Readonly<Record<CityStep, Partial<CityState>>> = {
  review: { denominatorReviewed: true },
  publish: { publicationStatus: "published" },
  unpublish: { publicationStatus: "unpublished" },
  pause: { collectionStatus: "paused" },
  resume: { collectionStatus: "active" },
  launch: { launched: true },
};

/**
 * The city after one more row; undefined for a step of a city that was never registered. Registering a city again replaces its
 * details, and its denominator has to be reviewed again.
 */
export function cityAfter(
  city: CityState | undefined,
  row: { readonly id: number; readonly acceptedAt: number; readonly body: CityBody },
): CityState | undefined {
  const { city: slug, step, details } = row.body;
  if (step !== "register") return city && { ...city, ...STEPS[step] };
  if (details === null) return city;
  const { id, acceptedAt } = row;
  const added = {
    id,
    slug,
    registeredAt: utcDayStart(acceptedAt),
    publicationStatus: "published",
    collectionStatus: "active",
    launched: false,
  } as const;
  return { ...added, ...city, details, denominatorReviewed: false };
}
