/** The checks of independence, as a release publishes them: what each looks at, its version and its parameters. */
import type { Independence } from "../../contract/service/independence.ts";
import { CHECK_VERSIONS, INDEPENDENCE } from "../../independence/parameters.ts";
import { CHECK_CODES, type CheckCode } from "../../independence/trace.ts";
import { SOURCE_SIGHT } from "../../snapshot/source-sight.ts";

type Check = Independence["checks"][number];
type Parameters = keyof typeof INDEPENDENCE;

interface Described {
  readonly looksAt: string;
  readonly parameters: readonly Parameters[];
  readonly raisesReview?: true;
}

const DESCRIBED: Readonly<Record<CheckCode, Described>> = {
  suspended: { looksAt: "Whether the operator suspended the observer.", parameters: [] },
  affiliated: {
    looksAt: "Whether the principal runs the record, its brand or its vehicles.",
    parameters: [],
  },
  cannot_see: {
    looksAt: "Whether the registered source can see assets of this type.",
    parameters: [],
  },
  clock: {
    looksAt: "Whether the observation is dated after it was received, or long before.",
    parameters: ["clock"],
  },
  exact_copy: {
    looksAt:
      "Whether an earlier observation has the same exact place and time, or another principal the same exact place of the asset. Coordinates with few decimals and archives are skipped.",
    parameters: ["exactCopy"],
  },
  same_media: {
    looksAt: "Whether the picture was used before, for another look.",
    parameters: ["frame"],
  },
  near_media: {
    looksAt:
      "Whether the picture looks like one used before, by its perceptual hash. Pictures without contrast are skipped.",
    parameters: ["nearMedia", "frame"],
  },
  same_look: {
    looksAt: "Whether the principal saw the same asset minutes before.",
    parameters: ["sameLook"],
  },
  impossible_travel: {
    looksAt: "Whether the observer can have come from the places of its other observations in time.",
    parameters: ["travel"],
  },
  co_travel: {
    looksAt:
      "Whether the observer keeps being where another one is at the same time: one walk with two devices.",
    parameters: ["coTravel"],
  },
  not_established: {
    looksAt:
      "Whether the principal is established: vouched for at enrolment, by samples that reviewers verified, or by discoveries that established principals confirmed.",
    parameters: ["standing"],
  },
  burst: {
    looksAt: "Whether several newly established principals came to a record within days that few others saw.",
    parameters: ["burst"],
  },
  ring: {
    looksAt:
      "Whether a few records live from observations of the same few principals, such as owners who see each other's records.",
    parameters: ["ring"],
    raisesReview: true,
  },
  copied_public: {
    looksAt:
      "Whether a principal sees what is public in the right cell at the wrong place, and finds nothing that others confirm.",
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
    looks_at:
      "Whether a source of this type can see assets other than vehicles (1) or vehicles only (0), by source type.",
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
