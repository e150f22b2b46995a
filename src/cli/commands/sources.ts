/** Who sends observations: sources, their observers, and the records that these run. */

import { Option } from "@commander-js/extra-typings";
import { AssetType, SourceType, Vetting } from "../../contract/enums.ts";
import { type ColumnMap, parseColumnMap } from "../../intake/lines/column-map.ts";
import { UTF_8 } from "../../intake/lines/decode.ts";
import { reteachPrincipal } from "../../intake/matching/reteach.ts";
import { activeSince } from "../../intake/sources/entry.ts";
import {
  addSource,
  enrol,
  knownSource,
  link,
  principalOf,
  type Run,
  runSubject,
  setKeepsNames,
  setSuspended,
  stepSource,
} from "../../intake/sources/source-desk.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { isoDate, utcDayStart } from "../../kernel/time.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { KnownObserver } from "../../ledger/sources/source-store.ts";
import { fieldLines } from "../../operations/context.ts";
import { leaving, stillLeaving } from "../../operations/erasure/requests.ts";
import { folderLine } from "../../operations/inbox/folder.ts";
import { type Bare, command, nothing } from "../command.ts";
import { choice, encodingOption } from "../options.ts";
import { list, noted, Output } from "../output.ts";
import { TAKES_OUT, takenOut } from "../take-out.ts";

const NAMES = ["keep", "hash"] as const;
const NAMES_HELP =
  "keep: store the names of its observers, only for `find` and `observer list`; hash: store only keyed hashes";

const setSource = command({
  path: "source set",
  does: "set whether the names of a source's observers are kept; hash erases the kept ones",
  takes: (bare: Bare) =>
    bare.argument("<id>").addOption(choice("--observer-names <which>", NAMES_HELP, NAMES)),
  access: "write",
  run({ ledger }, { observerNames }, id) {
    const forgotten = setKeepsNames(ledger, id, observerNames === "keep");
    if (observerNames === "hash") ledger.scrub();
    return { source: id, observer_names: observerNames, names_erased: forgotten };
  },
});

const add = command({
  path: "source add",
  does: "register a source; lines name it by its id, which is public",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .addOption(choice("--kind <type>", "source type", SourceType.options))
      .addOption(
        choice(
          "--vetting <how>",
          "individual: each observer by itself; collective: all as one principal",
          Vetting.options,
        ),
      )
      .requiredOption(
        "--operator <name>",
        "who operates it; the same observer id is one observer in all its sources",
      )
      .requiredOption("--licence <reference>", "the licence on file")
      .requiredOption("--consent <reference>", "the consent on file")
      .option("--name <name>", "what it is called")
      .option("--public-name", "publish its name and its operator")
      .addOption(
        new Option("--asset-types <types...>", "asset types that it can plausibly see")
          .choices(AssetType.options)
          .default(AssetType.options),
      )
      .addOption(new Option("--observer-names <which>", NAMES_HELP).choices(NAMES).default("hash" as const)),
  access: "append",
  clock: "writes rows",
  run({ ledger, context }, { name = null, publicName = false, observerNames, ...source }, id) {
    const isNamed = publicName;
    const keepsNames = observerNames === "keep";
    const added = addSource(ledger, { ...source, id, name, isNamed, keepsNames });
    const { row, kind, vetting, state } = added;
    const folder = folderLine(context, id);
    return noted({ source: id, row, kind, vetting, state }, `its folder in the inbox: ${folder}`);
  },
});

const listSources = command({
  path: "source list",
  does: "list the registered sources",
  takes: nothing,
  access: "read",
  run({ ledger, context }) {
    const { days } = ledger.batches.lastIntake();
    const active = ledger.activeObservers(activeSince(utcDayStart(context.clock())));
    const listed = ledger.sources().map(({ id, row, kind, vetting, state, keepsNames }) => ({
      ...{ id, row, kind, vetting, state },
      registered: dayOrNull(ledger.live.acceptedAt(row)),
      last_line: dayOrNull(days.get(id)),
      active_observers_30d: active.get(id) ?? 0,
      observer_names: keepsNames ? "keep" : "hash",
    }));
    return list(
      listed,
      ({ id, kind, vetting, state, registered, last_line, active_observers_30d: observers }) =>
        `${id}  ${kind}  ${vetting}  ${state}  since ${registered}  last line ${last_line ?? "-"}  ${observers} active observers`,
      { of: "source" },
    );
  },
});

function dayOrNull(time: number | undefined): string | null {
  return time === undefined ? null : isoDate(time);
}

const showSource = command({
  path: "source show",
  does: "show a source with its observers of the last 30 days",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "read",
  run({ ledger, context }, _, id) {
    const { assetTypes, row, keepsNames, ...source } = knownSource(ledger.sources(), id);
    const since = activeSince(utcDayStart(context.clock()));
    return {
      ...source,
      row,
      asset_types: assetTypes.join(", "),
      observer_names: keepsNames ? "keep" : "hash",
      active_observers_30d: ledger.activeObservers(since).get(id) ?? 0,
      ...(source.state === "withdrawn" && stillLeaving(ledger.leaving())),
    };
  },
});

const sourceSteps = (
  [
    ["suspend", "refuse lines of a source until it is resumed; its rows stay"],
    ["resume", "accept lines of a suspended source again"],
  ] as const
).map(([step, does]) =>
  command({
    path: `source ${step}`,
    does,
    takes: (bare: Bare) => bare.argument("<id>"),
    access: "append",
    clock: "writes rows",
    run: ({ ledger }, _, id) => ({ source: id, step, row: stepSource(ledger, id, step) }),
  }),
);

const sourceMap = command({
  path: "source map",
  does: "set the column map and encoding for a source's files in the inbox; without a file, print them",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .argument("[map]", "column map of its CSV (see docs/operations/intake.md)")
      .option(
        "--encoding <label>",
        "encoding of the text: utf-8, windows-1252, iso-8859-2, …",
        encodingOption,
      )
      .option("--remove", "forget map and encoding"),
  access: "write",
  prepare(_, { encoding, remove = false }, id, file) {
    const map = file === undefined ? undefined : JSON.stringify(parseColumnMap(readNamedFile(file), file));
    return ({ ledger }) => {
      const { id: source } = knownSource(ledger.sources.sources(), id);
      const before = ledger.inbox.mapOf(source) ?? { map: null, encoding: null };
      const after = remove ? { map: null, encoding: null } : { ...before, ...changed({ map, encoding }) };
      ledger.transaction(() => ledger.inbox.putMap({ source, ...after }));
      const stored = after.map === null ? null : parseColumnMap(after.map, `source ${source}`);
      const shown = { source, encoding: after.encoding ?? stored?.encoding ?? UTF_8 };
      return new Output({
        json: { ...shown, map: stored },
        text: [...fieldLines({ ...shown, map: stored === null ? null : "" }), ...mapLines(stored)],
      });
    };
  },
});

/** As it stands in a file, without the members that say nothing. */
function mapLines(map: ColumnMap | null): string[] {
  if (map === null) return [];
  const said = Object.entries(map).filter(([, value]) => JSON.stringify(value) !== "{}");
  return JSON.stringify(Object.fromEntries(said), null, 2).split("\n");
}

function changed({ map, encoding }: { map: string | undefined; encoding: string | undefined }) {
  return { ...(map !== undefined && { map }), ...(encoding !== undefined && { encoding }) };
}

const withdraw = command({
  ...TAKES_OUT,
  path: "source withdraw",
  does: "end a source permanently and withdraw all its rows from the ledger",
  takes: (bare: Bare) => bare.argument("<id>"),
  confirm: "withdraw it; without it, only preview the effect and print the code",
  run: (call, _, id) => takenOut(call, leaving(`source withdraw ${id}`, { source: id })),
});

const enrolObserver = command({
  path: "observer enrol",
  does: "record who controls an observer, and whether you vouch for it",
  takes: (bare: Bare) =>
    bare
      .argument("<source>")
      .argument("<observer>")
      .option("--principal <name>", "the person or organization that controls it; the name stays with you")
      .option("--vouch", "you know the observer and its work: it is established at once; counted by source"),
  access: "write",
  run({ ledger }, { principal, vouch = false }, source, observer) {
    const enrolled = enrol(ledger, { source, observer }, { principal, isVouched: vouch });
    return { source, observer, ...observerFields(enrolled) };
  },
});

const linkObservers = command({
  path: "observer link",
  does: "record that two observers are one principal",
  takes: (bare: Bare) =>
    bare.argument("<source>").argument("<observer>").argument("<other-source>").argument("<other-observer>"),
  access: "write",
  run({ ledger }, _, source, observer, otherSource, otherObserver) {
    const linked = link(ledger, { source, observer }, { source: otherSource, observer: otherObserver });
    return {
      ...{ source, observer, other_source: otherSource, other_observer: otherObserver },
      ...observerFields(linked),
    };
  },
});

const suspensions = (
  [
    ["suspend", true, "stop an observer's rows from counting, row by row within 14 days"],
    ["resume", false, "let the rows of a suspended observer count again"],
  ] as const
).map(([word, isSuspended, does]) =>
  command({
    path: `observer ${word}`,
    does,
    takes: (bare: Bare) => bare.argument("<source>").argument("<observer>"),
    access: "write",
    run({ ledger }, _, source, observer) {
      const known = setSuspended(ledger, { source, observer }, isSuspended);
      return { source, observer, ...observerFields(known) };
    },
  }),
);

function observerFields({ isSuspended, isVouched, observer, principal }: KnownObserver) {
  return { vouched: isVouched, suspended: isSuspended, own_principal: observer === principal };
}

const eraseObserver = command({
  ...TAKES_OUT,
  path: "observer erase",
  does: "erase all rows of an observer from the ledger",
  takes: (bare: Bare) => bare.argument("<source>").argument("<observer>"),
  confirm: "erase permanently; without it, only preview the effect and print the code",
  run: (call, _, source, observer) =>
    takenOut(call, leaving(`observer erase ${source} ${observer}`, { observer: { source, observer } })),
});

const listObservers = command({
  path: "observer list",
  does: "list observers with what you recorded about them; names only of sources that keep them",
  takes: (bare: Bare) => bare.option("--source <id>", "only of this source"),
  access: "read",
  run({ ledger }, { source }) {
    if (source !== undefined) knownSource(ledger.sources(), source);
    const listed = knownObservers(ledger).filter((each) => source === undefined || each.source === source);
    return list(listed, observerLine, { of: "observer" });
  },
});

/** Those who sent something, and those whom the operator named and who did not. */
function knownObservers(ledger: LedgerReader) {
  const said = new Map(ledger.observers().map((known) => [known.observer, known]));
  const names = new Map(ledger.observerNames().map((each) => [`${each.source} ${each.observer}`, each.name]));
  const active = ledger.lastActive();
  const silent = [...said.values()].filter(
    ({ observer }) => !active.some((each) => each.observer === observer),
  );
  return [
    ...active,
    ...silent.map(({ observer, enrolledIn }) => ({ source: enrolledIn, observer, lastDay: undefined })),
  ].map(({ source, observer, lastDay }) => {
    const { isVouched = false, isSuspended = false } = said.get(observer) ?? {};
    return {
      source,
      name: names.get(`${source} ${observer}`) ?? null,
      observer_hash: observer,
      last_day: dayOrNull(lastDay),
      vouched: isVouched,
      suspended: isSuspended,
    };
  });
}

function observerLine(of: ReturnType<typeof knownObservers>[number]): string {
  const words = [...(of.vouched ? ["vouched"] : []), ...(of.suspended ? ["suspended"] : [])];
  const who = of.name === null ? of.observer_hash.slice(0, 16) : JSON.stringify(of.name);
  return `${of.source ?? "-"}  ${who}  last line ${of.last_day ?? "-"}  ${words.join(", ") || "-"}`;
}

const affiliations = (
  [
    [
      "add",
      "record that a principal runs a record, its brand or its vehicles, so it is never independent of them",
    ],
    ["remove", "take that back"],
  ] as const
).map(([word, does]) =>
  command({
    path: `affiliation ${word}`,
    does,
    takes: (bare: Bare) =>
      bare
        .argument("<source>")
        .argument("[observer]")
        .option("--record <public-id>", "the record that it runs")
        .option("--brand <name>", "all records of this name"),
    access: "write",
    run({ ledger }, options, source, observer) {
      const principal = principalOf(ledger, source, observer);
      const affiliation = { principal, subject: runSubject(ledger, whatRuns(options)) };
      ledger.transaction(() => {
        if (word === "add") ledger.sources.addAffiliation(affiliation);
        else ledger.sources.removeAffiliation(affiliation);
        reteachPrincipal(ledger, principal);
      });
      return { source, observer: observer ?? null, [word]: options.record ?? options.brand };
    },
  }),
);

function whatRuns({ record, brand }: { record?: string | undefined; brand?: string | undefined }): Run {
  if (record !== undefined && brand === undefined) return { record };
  if (brand !== undefined && record === undefined) return { brand };
  throw new OperatorError("give what the principal runs: --record <public-id> or --brand <name>");
}

const listAffiliations = command({
  path: "affiliation list",
  does: "list affiliations; observers are shown as keyed hashes",
  takes: nothing,
  access: "read",
  run: ({ ledger }) =>
    list(ledger.affiliations(), ({ principal, subject }) => `${principal}  ${subject}`, {
      of: "affiliation",
    }),
});

export const commands = [
  ...[add, setSource, listSources, showSource, sourceMap, ...sourceSteps, withdraw],
  ...[enrolObserver, linkObservers, ...suspensions, listObservers, eraseObserver],
  ...[...affiliations, listAffiliations],
];
