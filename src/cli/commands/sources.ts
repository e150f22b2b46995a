/** Who sends observations: sources, their observers, and the records that these run. */

import { Option } from "@commander-js/extra-typings";
import { AssetType, SourceType, Vetting } from "../../contract/enums.ts";
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
  setSuspended,
  stepSource,
} from "../../intake/sources/source-desk.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { KnownObserver } from "../../ledger/sources/source-store.ts";
import { leaving } from "../../operations/erasure/requests.ts";
import { type Bare, command, nothing } from "../command.ts";
import { choice } from "../options.ts";
import { list } from "../output.ts";
import { TAKES_OUT, takenOut } from "../take-out.ts";

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
      ),
  access: "append",
  clock: "writes rows",
  run({ ledger }, { name = null, publicName = false, ...source }, id) {
    const { row, kind, vetting, state } = addSource(ledger, { ...source, id, name, isNamed: publicName });
    return { source: id, row, kind, vetting, state };
  },
});

const listSources = command({
  path: "source list",
  does: "list the registered sources",
  takes: nothing,
  access: "read",
  run: ({ ledger }) =>
    list(ledger.sources(), ({ id, kind, vetting, state }) => `${id}  ${kind}  ${vetting}  ${state}`),
});

const showSource = command({
  path: "source show",
  does: "show a source with its observers of the last 30 days",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "read",
  run({ ledger, context }, _, id) {
    const { assetTypes, row, ...source } = knownSource(ledger.sources(), id);
    const since = activeSince(utcDayStart(context.clock()));
    return {
      ...source,
      row,
      asset_types: assetTypes.join(", "),
      active_observers_30d: ledger.activeObservers(since).get(id) ?? 0,
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

const withdraw = command({
  ...TAKES_OUT,
  path: "source withdraw",
  does: "end a source for good and take all its rows out of the ledger",
  takes: (bare: Bare) => bare.argument("<id>"),
  confirm: "withdraw it; without it, only preview what goes and print the code",
  run: (call, _, id) => takenOut(call, leaving(`source withdraw ${id}`, { source: id })),
});

const enrolObserver = command({
  path: "observer enrol",
  does: "say who controls an observer, and whether you vouch for it",
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
  does: "say that two observers are one principal",
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
  does: "take all rows of an observer out of the ledger",
  takes: (bare: Bare) => bare.argument("<source>").argument("<observer>"),
  confirm: "erase for good; without it, only preview what goes and print the code",
  run: (call, _, source, observer) =>
    takenOut(call, leaving(`observer erase ${source} ${observer}`, { observer: { source, observer } })),
});

const affiliations = (
  [
    ["add", "say that a principal runs a record, its brand or its vehicles: it is never independent of them"],
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
  throw new OperatorError("say what the principal runs: --record <public-id> or --brand <name>");
}

const listAffiliations = command({
  path: "affiliation list",
  does: "list affiliations; observers are shown as keyed hashes",
  takes: nothing,
  access: "read",
  run: ({ ledger }) => list(ledger.affiliations(), ({ principal, subject }) => `${principal}  ${subject}`),
});

export const commands = [
  ...[add, listSources, showSource, ...sourceSteps, withdraw],
  ...[enrolObserver, linkObservers, ...suspensions, eraseObserver],
  ...[...affiliations, listAffiliations],
];
