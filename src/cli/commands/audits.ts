/** What anybody can do with the public files of a release: verify it, recompute it, keep a copy of it. */

import { setFlagsFromString } from "node:v8";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { loadReference } from "../../build/effects.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { auditRelease, type RecordSample, type ReleaseFolder } from "../../operations/audit/audit.ts";
import { mirrorSite } from "../../operations/audit/mirror.ts";
import { fieldLines, homeOf } from "../../operations/context.ts";
import type { Comparison } from "../../operations/replay/comparison.ts";
import { replayRelease } from "../../operations/replay/replay.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { openRelease, type SignedRelease } from "../../proof/audit/release-manifest.ts";
import { filesAtUrl, siteBounds } from "../../proof/audit/site-files.ts";
import { TimestampInvalid } from "../../proof/timestamp/authority.ts";
import type { TrustAnchor } from "../../proof/timestamp/certificates.ts";
import { type Bare, command } from "../command.ts";
import { VKEY_OPTION, whole } from "../options.ts";
import { Output } from "../output.ts";
import { MAX_HOURS_OPTION, publicFiles, withPublicFiles } from "../public-files-option.ts";

/** Their documents stay below what a server answers one client in a minute. */
const RECORDS_COMPARED = 30;

const verify = command({
  path: "verify",
  takes: (bare: Bare) =>
    withPublicFiles(bare)
      .option(...VKEY_OPTION)
      .option("--since <file>", "a checkpoint that you kept: check that history has not changed since")
      .option("--tsa-ca <file>", "PEM certificates of the timestamp authority that you trust")
      .addOption(
        new Option(
          "--records <count>",
          "of a site whose server makes the documents of records: compare those of so many records, drawn at random, or of `all`",
        )
          .default<RecordSample>(RECORDS_COMPARED)
          .argParser(recordSample),
      ),
  access: "none",
  json: "print counts and faults as JSON",
  help: "\nExit code 0: no fault. 1: faults, each named, or the check could not be made.",
  async run({ context, progress }, { vkey, since, tsaCa, records, ...place }) {
    // Objects made of a row die young: more room for them costs 70 MB and saves no time (measured).
    setFlagsFromString("--semi-space-growth-factor=1");
    const findings = new Findings();
    const subject = publicFiles(context, place);
    const remembered = since === undefined ? undefined : readNamedFile(since, "--since");
    const anchors = tsaCa === undefined ? undefined : await trustedAuthorities(tsaCa);
    const release = await progress("checking", (update) => {
      const made = { sample: records, random: context.random };
      const options = { vkey, remembered, anchors, made, progress: (files: number) => update(files, 0) };
      return auditRelease(subject.files, subject.folder, options, findings);
    });
    const report = { ...subject, release, findings };
    return new Output({
      json: verifyFields(report),
      text: verifyLines(report),
      ...(findings.faults.length > 0 && { failure: new OperatorError(`${subject.name}: does not verify`) }),
    });
  },
});

function recordSample(text: string): RecordSample {
  if (text === "all") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a number of records, or all");
}

interface Report {
  readonly name: string;
  readonly folder: ReleaseFolder | undefined;
  readonly release: SignedRelease | undefined;
  readonly findings: Findings;
}

function verifyFields({ name, release, findings }: Report) {
  return {
    subject: name,
    origin: release?.head.origin ?? null,
    tree_size: release?.head.size ?? null,
    checked: findings.counts(),
    faults: findings.faults,
  };
}

function* verifyLines({ name, folder, release, findings }: Report): Generator<string> {
  for (const { subject, problem } of findings.faults) yield `FAULT  ${subject}: ${problem}`;
  yield "checked:";
  for (const [what, count] of Object.entries(findings.counts()))
    yield `${count.toLocaleString("en-US").padStart(12)}  ${what}`;
  if (release === undefined)
    yield "Nothing else was checked: every other check needs valid keys, checkpoint and manifest.";
  else if (folder === undefined) yield "Not checked for a URL: unlisted files, the database.";
  else if (folder.snapshot === undefined) yield "Not checked for a copy of the site: the database.";
  const { length } = findings.faults;
  yield `${name}: ${length === 0 ? "no fault" : `${length} ${length === 1 ? "fault" : "faults"}`}`;
}

async function trustedAuthorities(path: string): Promise<TrustAnchor[]> {
  const { trustAnchorsFromPem } = await import("../../proof/timestamp/certificates.ts");
  const pem = readNamedFile(path, "--tsa-ca");
  try {
    return trustAnchorsFromPem(pem);
  } catch (cause) {
    if (!(cause instanceof TimestampInvalid)) throw cause;
    throw new OperatorError(`--tsa-ca ${path}: ${cause.message}`, { cause });
  }
}

const MAX_LISTED = 50;

const replay = command({
  path: "replay",
  takes: (bare: Bare) => withPublicFiles(bare).option(...VKEY_OPTION),
  access: "none",
  json: "print counts and differences as JSON",
  help: "\nExit code 0: no difference. 1: differences, each named, or the evidence itself does not verify.",
  async run({ context, progress }, { vkey, ...place }) {
    const { files, folder, name } = publicFiles(context, place);
    const findings = new Findings();
    const release = await openRelease(files, { vkey }, findings);
    const reference = loadReference(homeOf(context));
    const comparison =
      release &&
      (await progress("replaying", (update) =>
        replayRelease({ files, site: folder?.site, release }, reference, findings, update),
      ));
    const isSame = comparison !== undefined && comparison.differences.length + findings.faults.length === 0;
    return new Output({
      json: replayFields(name, findings, comparison),
      text: replayLines(name, findings, comparison),
      ...(!isSame && { failure: new OperatorError(`${name}: does not replay`) }),
    });
  },
});

function replayFields(subject: string, { faults }: Findings, comparison: Comparison | undefined) {
  return {
    subject,
    documents: comparison?.documents ?? 0,
    numbers: comparison?.numbers ?? 0,
    topics: Object.fromEntries(comparison?.topics ?? []),
    carried_over: Object.fromEntries(comparison?.carriedOver ?? []),
    not_replayable: Object.fromEntries(comparison?.notReplayable ?? []),
    differences: comparison?.differences ?? [],
    faults,
  };
}

function* replayLines(
  name: string,
  { faults }: Findings,
  comparison: Comparison | undefined,
): Generator<string> {
  for (const { subject, problem } of faults) yield `FAULT  ${subject}: ${problem}`;
  if (comparison === undefined) return;
  const { differences, topics, notReplayable, carriedOver, documents, numbers } = comparison;
  for (const { file, value, published, replayed } of differences.slice(0, MAX_LISTED))
    yield `DIFFERS  ${file}: ${value}: published ${JSON.stringify(published)}, replayed ${JSON.stringify(replayed)}`;
  if (differences.length > MAX_LISTED) yield `… and ${differences.length - MAX_LISTED} more`;
  for (const [topic, { values, differ }] of topics)
    yield `${values.toLocaleString("en-US").padStart(12)}  ${topic}: ${differ} differ`;
  if (carriedOver.size > 0)
    yield `carried over from before an erasure until the next nightly release, and taken as given: ${[...carriedOver].map(([kind, count]) => `${kind} (${count})`).join(", ")}`;
  const left = [...notReplayable].map(([value, count]) => `${value} (${count})`).join(", ");
  yield `not replayable, because they are counted from private principals (scouts of a city) or by the server (requests): ${left === "" ? "none" : left}`;
  const differ = [...topics.values()].reduce((sum, topic) => sum + topic.differ, 0);
  yield `${name}: ${documents.toLocaleString("en-US")} documents, ${numbers.toLocaleString("en-US")} numbers compared, ${differ} values differ`;
}

const GB = 1_000_000_000;
const MAX_GB = 20;

const mirror = command({
  path: "mirror",
  takes: (bare: Bare) =>
    bare
      .argument("<url>", "address of the service, for example https://presence.example")
      .argument("<folder>", "folder of the copy; a web server serves <folder>/current")
      .option(...VKEY_OPTION)
      .option(...MAX_HOURS_OPTION)
      .option("--max-gb <n>", "largest size of the copy", whole("--max-gb", 1_000_000), MAX_GB),
  access: "none",
  help: "\nRun it again after each release: withdrawn data is deleted here, too. An interrupted run continues.",
  async run({ progress }, { vkey, maxHours, maxGb }, url, folder) {
    const files = filesAtUrl(siteUrl(url), siteBounds({ maxHours, maxGb }));
    const result = await progress("mirroring", (progress) =>
      mirrorSite({ files, folder, vkey, maxBytes: maxGb * GB, progress }),
    );
    const hint = ["", "Compare the key above with one that you know from elsewhere, or pass --vkey."];
    const fields = { ...result };
    return new Output({ json: fields, text: [...fieldLines(fields), ...(vkey === undefined ? hint : [])] });
  },
});

function siteUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === "")
    return text;
  throw new OperatorError(`${text}: give the address of the service, for example https://presence.example`);
}

export const commands = [verify, replay, mirror];
