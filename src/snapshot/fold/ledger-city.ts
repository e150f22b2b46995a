import { uncompactCells } from "h3-js";
import type { CollectionStatus, PublicationStatus } from "../../contract/enums.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { CityBody, CityDetails } from "../../ledger/rows/rows.ts";

const CELL_RESOLUTION = 8;

/** A city as the ledger's rows leave it. Owned by the fold: only rows change it. */
export interface LedgerCity {
  readonly id: number; // the row that registered it first
  readonly slug: string;
  readonly registeredAt: number; // ms, the UTC day
  details: CityDetails;
  cells: readonly string[]; // eligible resolution-8 cells, sorted
  publicationStatus: PublicationStatus;
  collectionStatus: CollectionStatus;
  launched: boolean;
  denominatorReviewed: boolean;
}

type Cities = Map<string, LedgerCity>;

/** One step of a city's life. Registering again replaces its details, and its cells have to be reviewed again. */
export function applyCityRow(cities: Cities, row: number, acceptedAt: number, body: CityBody): void {
  const city = cities.get(body.city);
  if (body.step === "register") {
    if (body.details !== null)
      cities.set(body.city, registered(city, row, acceptedAt, body.city, body.details));
  } else if (city !== undefined) STEPS[body.step](city);
}

function registered(
  before: LedgerCity | undefined,
  row: number,
  acceptedAt: number,
  slug: string,
  details: CityDetails,
): LedgerCity {
  return {
    id: row,
    slug,
    registeredAt: utcDayStart(acceptedAt),
    publicationStatus: "published",
    collectionStatus: "active",
    launched: false,
    ...before,
    details,
    cells: uncompactCells([...details.cells], CELL_RESOLUTION).sort(),
    denominatorReviewed: false,
  };
}

const STEPS: Readonly<Record<Exclude<CityBody["step"], "register">, (city: LedgerCity) => void>> = {
  review: (city) => {
    city.denominatorReviewed = true;
  },
  publish: (city) => {
    city.publicationStatus = "published";
  },
  unpublish: (city) => {
    city.publicationStatus = "unpublished";
  },
  pause: (city) => {
    city.collectionStatus = "paused";
  },
  resume: (city) => {
    city.collectionStatus = "active";
  },
  launch: (city) => {
    city.launched = true;
  },
};
