import { Independence } from "../../contract/service/methodology.ts";
import { INDEPENDENCE_VERSION, SCHEMA } from "../../contract/versions.ts";
import { CHECK_VERSIONS, INDEPENDENCE } from "../../independence/parameters.ts";
import { CHECK_CODES, type CheckCode } from "../../independence/trace.ts";
import { isoTime } from "../../kernel/time.ts";
import type { SourceEntry, Tally } from "../../snapshot/rows.ts";
import { SOURCE_SIGHT } from "../../snapshot/rows.ts";
import { defineDocument } from "../define.ts";

/** The checks of independence, as a release publishes them: what each looks at, its version and its parameters. */

type Check = Independence["checks"][number];
type Parameters = keyof typeof INDEPENDENCE;

interface Described {
  readonly looksAt: string;
  readonly parameters: readonly Parameters[];
  readonly raisesReview?: true;
}

const DESCRIBED: Readonly<Record<CheckCode, Described>> = {
  suspended: { looksAt: "The operator suspended the observer.", parameters: [] },
  affiliated: {
    looksAt: "The principal runs the business, its brand or its vehicles.",
    parameters: [],
  },
  cannot_see: {
    looksAt: "The registered source cannot see assets of this type.",
    parameters: [],
  },
  clock: {
    looksAt: "The observation is dated after it was received, or long before.",
    parameters: ["clock"],
  },
  exact_copy: {
    looksAt:
      "An earlier observation has the same exact place and time, or another principal the same exact place of the asset. Coordinates with few decimals and archives are skipped.",
    parameters: ["exactCopy"],
  },
  same_media: {
    looksAt: "The picture was used before, for another look.",
    parameters: ["frame"],
  },
  near_media: {
    looksAt:
      "The picture looks like one used before, by its perceptual hash. Pictures without contrast are skipped.",
    parameters: ["nearMedia", "frame"],
  },
  same_look: {
    looksAt: "The principal saw the same asset minutes before.",
    parameters: ["sameLook"],
  },
  impossible_travel: {
    looksAt: "The observer cannot have come from the places of its other observations in time.",
    parameters: ["travel"],
  },
  co_travel: {
    looksAt: "The observer keeps being where another one is at the same time: one walk with two devices.",
    parameters: ["coTravel"],
  },
  not_established: {
    looksAt:
      "The principal is not established yet: neither vouched for at enrolment, nor by samples that reviewers verified, nor by discoveries that established principals confirmed.",
    parameters: ["standing"],
  },
  burst: {
    looksAt: "Several newly established principals came to a record within days that few others saw.",
    parameters: ["burst"],
  },
  ring: {
    looksAt: "A few records depend on the same few observers, such as owners who report each other's signs.",
    parameters: ["ring"],
    raisesReview: true,
  },
  copied_public: {
    looksAt:
      "A principal sees what is public in the right cell at the wrong place, and finds nothing that others confirm.",
    parameters: ["copiedPublic"],
    raisesReview: true,
  },
};

/** All checks in the order in which reasons are tried: the one from public data first. */
export function independenceChecks(): Check[] {
  return [sourceCannotSee(), ...CHECK_CODES.map(privateCheck)];
}

function sourceCannotSee(): Check {
  return {
    check: "source_cannot_see",
    version: 1,
    decided_from: "public_data",
    effect: "sets_aside",
    looks_at: "A source of this type cannot see such an asset: those with 0 see vehicles only.",
    parameters: Object.entries(SOURCE_SIGHT).map(([name, value]) => ({ name: `seesFixed.${name}`, value })),
  };
}

function privateCheck(check: CheckCode): Check {
  const { looksAt, parameters, raisesReview } = DESCRIBED[check];
  return {
    check,
    version: CHECK_VERSIONS[check],
    decided_from: "private_traces",
    effect: raisesReview ? "raises_review" : "sets_aside",
    looks_at: looksAt,
    parameters: parameters.flatMap((group) =>
      Object.entries(INDEPENDENCE[group]).map(([name, value]) => ({ name: `${group}.${name}`, value })),
    ),
  };
}

export const independence = defineDocument({
  operationId: "getIndependence",
  path: "/api/v1/independence",
  summary: "Get the rules and results of what counts as independent evidence",
  description:
    "Lists the registered sources, the checks with their versions and parameters, and by month how many observations each check set aside, how many a review restored, and how often a random sample was a false alarm. Sources and counts come from ledger rows.",
  wire: Independence,
  load({ snapshot }) {
    const tallies = snapshot.tallies();
    const [newest] = tallies;
    return {
      schema: SCHEMA.independence,
      data_as_of: isoTime(snapshot.release().asOf),
      independence_version: INDEPENDENCE_VERSION,
      notes: NOTES,
      sources: snapshot.sources().map(sourceWire),
      checks: independenceChecks(),
      months: tallies.map(monthWire),
      false_alarms: newest === undefined ? null : falseAlarmsWire(newest.sampleSoFar),
    };
  },
});

const NOTES: Independence["notes"] = {
  principals:
    "Independence is counted by principal: who controls one or more observers. All built-in sources together are one principal, to which observations belong that name no registered source.",
  standing:
    "An observer of an individual source counts once it is established: vouched for by the operator at enrolment, by samples that reviewers verified, or by discoveries that established principals confirmed. Until then its observations are provisional.",
  delays:
    "A row says whether it counts when it enters the ledger. Every later change is a row of its own about one observation or one record, appended after a keyed random delay of 1 to 14 days. One change has no delay: when a whole batch of input was wrong, all its observations stop counting at once.",
  private:
    "Names of observers, exact places and times, and media hashes are never published. All reasons that rest on them share one code and cannot be told apart.",
};

function sourceWire({ id, row, assetTypes, ...source }: SourceEntry): Independence["sources"][number] {
  return {
    source: id,
    kind: source.kind,
    vetting: source.vetting,
    name: source.name,
    operator: source.operator,
    licence: source.licence,
    consent: source.consent,
    asset_types: [...assetTypes],
    state: source.state,
    registered_row: row,
    assigned: [],
  };
}

function monthWire({ month, checks, sample, vouched }: Tally): Independence["months"][number] {
  return {
    month,
    checks: [...checks],
    sample: falseAlarmsWire(sample),
    vouched: [...vouched],
  };
}

function falseAlarmsWire({ reviewed, falseAlarms, rate, interval }: Tally["sample"]) {
  return {
    reviewed,
    false_alarms: falseAlarms,
    rate,
    confidence_interval: interval === null ? null : { ...interval, level: 0.95, method: "wilson" },
  };
}
