import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import type { Industry } from "../../contract/cities/industry.ts";
import {
  COVERAGE_VERSION,
  GATE_VERSION,
  LEDGER_SCHEMA_VERSION,
  SCHEMA_VERSION,
  SCOPE_VERSION,
  SCORE_VERSION,
} from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import { inserter, type SqlValue } from "../../kernel/table.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { publishedCheckLine } from "../../ledger/outside-tree.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import { writeActivity } from "../activity.ts";
import { writeDemand, writeIncidents, writeReportCounts } from "../demand.ts";
import type { ChecksByRecord } from "../fold/city-facts.ts";
import { monthlyTallies, registeredSources } from "../fold/independence.ts";
import type { LedgerFold, LedgerSource, PublicProof } from "../fold/ledger-fold.ts";
import type { Mending } from "../mend/mending.ts";
import { type ReleaseSettings, writeOperatorTexts } from "../release-settings.ts";
import type { SealRow } from "../rows.ts";
import { SNAPSHOT_VERSION } from "../schema.ts";
import { foldName } from "../search/search-terms.ts";
import { gazetteer, industries, release, seals, sources, tallies } from "../tables/release.ts";

/** All inputs of a release (design 2). */
export interface ReleaseInputs extends ReleaseSettings, InputHashes {
  readonly source: LedgerSource;
  readonly treeSize: number;
  readonly asOf: number;
  readonly checks: ChecksByRecord;
  readonly mends?: Mending | undefined;
}

/** Writes the release row and its seals, and returns the release id, a UUID made from the release's inputs. */
export function writeRelease(
  db: Database,
  inputs: ReleaseInputs,
  sealRows: readonly { readonly row: number; readonly body: SealBody }[],
): string {
  const { asOf, treeSize, mends } = inputs;
  const { meta } = inputs.source;
  const { delivery } = inputs;
  const lastSeal = sealRows.at(-1);
  const lastSealAt = lastSeal === undefined ? null : Date.parse(lastSeal.body.created_at);
  const proven = provenSeals(sealRows, inputs.source, inputs);
  const insertSeal = inserter(db, seals);
  for (const { row, seal } of proven) insertSeal({ row, ...seal });
  const live = liveHead(inputs, lastSealAt);
  const releaseId = uuidFromText(canonicalJson(inputsInFull(inputs, live.row, proven)));
  inserter(
    db,
    release,
  )({
    releaseId,
    asOf,
    treeSize: mends?.treeSize ?? treeSize,
    signedTreeSize: treeSize,
    mends: mends === undefined ? null : { releaseId: mends.releaseId, lastSealedRow: mends.lastSealedRow },
    environment: meta.environment,
    origin: meta.origin,
    baseUrl: inputs.baseUrl,
    sourceRevision: inputs.sourceRevision,
    latestLiveRow: live.row,
    latestLiveAt: live.at,
    pendingLines: inputs.source.pendingLines(asOf),
    lastSealedRow: inputs.source.lastSealedRow(treeSize),
    lastSealAt,
    externalTimestamping: inputs.externalTimestamping,
    securityContact: inputs.securityContact,
    referenceHash: inputs.referenceHash,
    activityHash: inputs.activityHash,
    demandHash: inputs.demandHash,
    operatorName: inputs.operatorName,
    siteName: inputs.siteName,
    operatorTextsHash: inputs.operatorTextsHash,
    incidentsHash: inputs.incidentsHash,
    reportsHash: inputs.reportsHash,
    emailDelivery: delivery.email,
    webhooksDelivered: delivery.webhooks,
  });
  return releaseId;
}

function inputsInFull(
  inputs: ReleaseInputs,
  liveRow: number,
  seals: readonly { readonly row: number; readonly seal: SealRow }[],
) {
  const { source, treeSize, asOf, baseUrl, sourceRevision, referenceHash } = inputs;
  const checks = [...inputs.checks.values()].flat();
  return {
    activity: inputs.activityHash,
    as_of: asOf,
    base_url: baseUrl,
    delivery: inputs.delivery,
    demand: inputs.demandHash,
    external_proofs: sha256Hex(canonicalJson(seals.map(({ seal }) => ({ ...seal.externalProof })))),
    external_timestamping: inputs.externalTimestamping,
    incidents: inputs.incidentsHash,
    live_row: liveRow,
    ...(inputs.mends && { mends: inputs.mends.releaseId }),
    online_checks: sha256Hex(checks.map(publishedCheckLine).join("")),
    operator_name: inputs.operatorName,
    operator_texts: inputs.operatorTextsHash,
    origin: source.meta.origin,
    pending_lines: source.pendingLines(asOf),
    reference: referenceHash,
    reports: inputs.reportsHash,
    security_contact: inputs.securityContact,
    ...(inputs.siteName !== null && { site_name: inputs.siteName }),
    source_revision: sourceRevision,
    tree_root: treeRoot(inputs),
    tree_size: treeSize,
    versions: [
      SNAPSHOT_VERSION,
      LEDGER_SCHEMA_VERSION,
      SCHEMA_VERSION,
      GATE_VERSION,
      SCORE_VERSION,
      SCOPE_VERSION,
      COVERAGE_VERSION,
    ],
  };
}

function treeRoot({ source, treeSize }: ReleaseInputs): string | null {
  const checkpoint = source.checkpointAt(treeSize);
  return checkpoint === undefined ? null : Buffer.from(checkpoint.root).toString("hex");
}

/**
 * The newest row accepted by `as_of`, so that a later rebuild gives the same. Its time is published as the day only. A release as of
 * a time before its own rows has its own last row.
 */
function liveHead(
  { source, asOf, treeSize }: ReleaseInputs,
  lastSealAt: number | null,
): { row: number; at: number | null } {
  const { lastRow, latestAcceptedAt } = source.head(asOf);
  // The tree's last row is the seal itself, and a seal's time is public.
  if (latestAcceptedAt === null || lastRow <= treeSize) return { row: treeSize, at: lastSealAt };
  return { row: lastRow, at: utcDayStart(latestAcceptedAt) };
}

/** Inputs of a release other than the ledger: what the snapshot stores of them, and their hashes for the release id. */

/** The hashes (SHA-256, hex) are those of a release that is built again from its public files, which lack some inputs. */
export interface WrittenInputs {
  readonly settings: ReleaseSettings;
  readonly activityHash?: string | null;
  readonly demandHash?: string | null;
  readonly operatorTextsHash?: string | null;
  readonly incidentsHash?: string | null; // wins: the public files have some of the incidents
  readonly reference: SnapshotReference;
  readonly referenceHash?: string; // wins: `reference` may be newer
}

export type InputHashes = ReturnType<typeof writeInputs>;

/** Stores the inputs and returns their hashes; null for an absent one. Cities and records must be written before. */
export function writeInputs(db: Database, { settings, ...input }: WrittenInputs) {
  const reference = writeReference(db, input.reference);
  const incidents = writeIncidents(db, settings.incidents);
  return {
    referenceHash: input.referenceHash ?? reference,
    activityHash: writeActivity(db, settings.activity) ?? input.activityHash ?? null,
    demandHash: writeDemand(db, settings.demand) ?? input.demandHash ?? null,
    operatorTextsHash: writeOperatorTexts(db, settings.operatorTexts) ?? input.operatorTextsHash ?? null,
    incidentsHash: input.incidentsHash ?? incidents,
    reportsHash: writeReportCounts(db, settings.reportCounts),
  };
}

export interface SnapshotReference {
  readonly gazetteer: Iterable<GazetteerCity>;
  readonly industries: readonly Industry[];
}

/** Writes the taxonomy in its own order and the catalog by population. Returns the SHA-256 (hex) of what was written. */
export function writeReference(db: Database, reference: SnapshotReference): string {
  const hash = createHash("sha256");
  const add = (values: readonly SqlValue[]) => hash.update(`${JSON.stringify(values)}\n`);
  const insertIndustry = inserter(db, industries);
  for (const [index, industry] of reference.industries.entries())
    add(insertIndustry({ seq: index + 1, ...industry, folded: foldName(industry.title) }));
  const insertCity = inserter(db, gazetteer);
  for (const [index, city] of [...reference.gazetteer].sort(byPopulation).entries())
    add(insertCity({ seq: index + 1, ...city, folded: foldedNames(city) }));
  return hash.digest("hex");
}

function byPopulation(a: GazetteerCity, b: GazetteerCity): number {
  return b.population - a.population || a.geonameId - b.geonameId;
}

/** A needle has no line break, so it never matches across the two. */
function foldedNames({ name, asciiName }: GazetteerCity): string {
  return [...new Set([foldName(name), foldName(asciiName)])].join("\n");
}

/** Writes the registered sources, and what checks set aside by month. */
export function writeIndependence(
  db: Database,
  { sourceRows, sightings, tallies: bodies }: LedgerFold,
): void {
  const insertSource = inserter(db, sources);
  for (const source of registeredSources(sourceRows, sightings.lastIntake())) insertSource(source);
  const insertTally = inserter(db, tallies);
  for (const tally of monthlyTallies(bodies)) insertTally(tally);
}

const NO_PROOF: SealRow["externalProof"] = {
  provider: null,
  status: "none",
  proofSha256: null,
  verifiedAt: null,
};

/** Seals with the smallest signed tree that holds each: its external timestamp is the first that covers the seal. */
export function provenSeals(
  seals: readonly { readonly row: number; readonly body: SealBody }[],
  source: LedgerSource,
  { treeSize, asOf }: { readonly treeSize: number; readonly asOf: number },
): { readonly row: number; readonly seal: SealRow }[] {
  const sizes = source.checkpoints().map(({ size }) => size);
  const proofs = new Map(source.externalProofs(asOf).map((proof) => [proof.size, wireProof(proof)]));
  return seals.map(({ row, body }) => {
    const size = sizes.find((at) => at >= row) ?? treeSize;
    return { row, seal: { manifest: body, treeSize: size, externalProof: proofs.get(size) ?? NO_PROOF } };
  });
}

function wireProof({ provider, status, sha256, verifiedAt }: PublicProof): SealRow["externalProof"] {
  return { provider, status, proofSha256: sha256, verifiedAt };
}
