/** The demonstration's sources, and the observers whom its operator vouches for. */
import { AssetType, SourceType, type Vetting } from "../contract/enums.ts";
import { addSource, enrol } from "../intake/sources/source-desk.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { DemoCity } from "./fixture.ts";

interface DemoSource {
  readonly id: string;
  readonly name: string;
  readonly operator: string;
  readonly vetting: Vetting;
  /** Observers in each city whom the operator vouches for; the others have to become established. */
  readonly founding: number;
}

export const DEMO_SOURCES: Readonly<Record<SourceType, DemoSource>> = {
  scout: {
    id: "street-scouts",
    name: "Street Scouts (invented)",
    operator: "Invented Scouts Cooperative",
    vetting: "individual",
    founding: 4,
  },
  fleet_cam: {
    id: "delivery-cameras",
    name: "Delivery Cameras (invented)",
    operator: "Invented Deliveries Ltd",
    vetting: "individual",
    founding: 2,
  },
  telematics_api: {
    id: "van-positions",
    name: "Van Positions (invented)",
    operator: "Invented Positions Ltd",
    vetting: "collective",
    founding: 0,
  },
  seed_survey: {
    id: "first-survey",
    name: "First Survey (invented)",
    operator: "Invented Surveys Ltd",
    vetting: "collective",
    founding: 0,
  },
};

/** The id of an observer of a city; `number` from 1. */
export function observerId({ slug }: Pick<DemoCity, "slug">, source: SourceType, number: number): string {
  return `${slug}-${source}-${number}`;
}

/** Registers the sources, once. */
export function registerSources(ledger: LedgerWriter): void {
  for (const kind of SourceType.options) {
    const { id, name, operator, vetting } = DEMO_SOURCES[kind];
    const paper = `${id}: invented, for the demonstration`;
    addSource(ledger, {
      id,
      kind: kind,
      vetting,
      operator,
      name,
      isNamed: true,
      licence: paper,
      consent: paper,
      assetTypes: AssetType.options,
    });
  }
}

/** The way in for a city's first observers. */
export function vouchForFounders(ledger: LedgerWriter, city: DemoCity): void {
  for (const kind of SourceType.options) {
    const { id, founding } = DEMO_SOURCES[kind];
    for (let number = 1; number <= founding; number += 1)
      enrol(ledger, { source: id, observer: observerId(city, kind, number) }, { isVouched: true });
  }
}
