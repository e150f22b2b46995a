/** The review desk in the browser: serving it and its people are the desk's user's commands; the view and what was decided are the ledger owner's. */

import { mkdirSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { DESK_ROLES } from "../../desk/crossing.ts";
import { type DeskStore, openDeskStore } from "../../desk/desk-store.ts";
import { startDesk } from "../../desk/main.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { deskPaths } from "../../kernel/home.ts";
import { HOUR_MS, isoDate, isoTime } from "../../kernel/time.ts";
import {
  type CommandContext,
  currentEnvironment,
  homeOf,
  logOf,
  printLines,
} from "../../operations/context.ts";
import { applyDeskDecisions } from "../../operations/desk/apply-decisions.ts";
import { writeDeskView } from "../../operations/desk/desk-view.ts";
import { assertSecretsClosed } from "../../operations/home-access.ts";
import { type Bare, command, nothing } from "../command.ts";
import { DeskApplier, isOneUsers } from "../desk-applier.ts";
import { list, noted } from "../output.ts";
import { untilStopped } from "../process.ts";

const LINK_HOURS = 24;

const serve = command({
  path: "desk",
  takes: nothing,
  access: "none",
  json: false,
  async run({ context }) {
    const { config, clock, random } = context;
    const home = homeOf(context);
    const log = logOf(context);
    assertSecretsClosed({ config, home, environment: currentEnvironment(home), log });
    const paths = madeFolders(context);
    const { host, trustedProxies } = config;
    const desk = await startDesk({
      ...{ project: context.project, paths, host, trustedProxies, log, clock, random },
      ...config.desk,
    });
    printLines(context, [`review desk ${desk.origin} on port ${desk.port} (Ctrl-C stops)`]);
    using applier = isOneUsers(home) ? new DeskApplier(context.project, home, log) : undefined;
    if (applier !== undefined)
      printLines(context, ["decisions become rows at once: this user owns the ledger, too"]);
    await untilStopped();
    await desk.stop();
    return undefined;
  },
});

/** With users of their own, systemd-tmpfiles made them, with owners and groups that this user could not give. */
function madeFolders(context: CommandContext) {
  const paths = deskPaths(homeOf(context));
  mkdirSync(paths.folder, { recursive: true, mode: 0o711 });
  mkdirSync(paths.own, { recursive: true, mode: 0o700 });
  mkdirSync(paths.decisions, { recursive: true, mode: 0o770 });
  mkdirSync(paths.view, { recursive: true, mode: 0o750 });
  return paths;
}

function withStore<T>(context: CommandContext, work: (store: DeskStore) => T): T {
  using store = openDeskStore(madeFolders(context).database);
  return work(store);
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u;

const enrol = command({
  path: "desk enrol",
  does: "enrol a reviewer: print a link to create a passkey, valid once and for a day",
  takes: (bare: Bare) =>
    bare
      .argument("<name>")
      .addOption(
        new Option("--role <role>", "reviewer: single items; lead: large groups and integrity, too")
          .choices(DESK_ROLES)
          .makeOptionMandatory(),
      ),
  access: "none",
  run({ context }, { role }, name) {
    if (!NAME.test(name))
      throw new OperatorError(
        `"${name.slice(0, 40)}": give a name of at most 40 letters, digits, spaces, dots and hyphens`,
      );
    const { clock, random, config } = context;
    const token = random(24).toString("base64url");
    const until = clock() + LINK_HOURS * HOUR_MS;
    withStore(context, (store) => store.invite(name, role, { token: sha256Hex(token), until, now: clock() }));
    const origin = config.desk.origin ?? `http://localhost:${config.desk.port}`;
    return noted(
      { name, role, link: `${origin}/enrol#${token}`, valid_until: isoTime(until) },
      "whoever opens the link first becomes this reviewer: hand it over in private",
    );
  },
});

const people = command({
  path: "desk people",
  does: "list the reviewers with their passkeys",
  takes: nothing,
  access: "none",
  run: ({ context }) =>
    withStore(context, (store) =>
      list(
        store.people().map(({ name, role, passkeys, lastSeen }) => ({
          ...{ name, role, passkeys },
          signed_in: lastSeen === null ? null : isoDate(lastSeen),
        })),
        ({ name, role, passkeys, signed_in }) =>
          `${name}  ${role}  ${passkeys} passkey${passkeys === 1 ? "" : "s"}  ${signed_in === null ? "signed out" : `signed in, last seen ${signed_in}`}`,
      ),
    ),
});

const remove = command({
  path: "desk remove",
  does: "revoke a reviewer's passkeys and sessions; earlier decisions stay",
  takes: (bare: Bare) => bare.argument("<name>"),
  access: "none",
  run({ context }, _, name) {
    withStore(context, (store) => store.remove(name));
    return { removed: name };
  },
});

const view = command({
  path: "desk view",
  does: "rewrite the view of the queue that the desk reads",
  takes: nothing,
  access: "none",
  clock: "reads",
  async run({ context, clock }) {
    madeFolders(context);
    const { queue, results } = await writeDeskView(context, { clock });
    return {
      made_at: queue.made_at,
      decisions: queue.counts.reduce((sum, { decisions }) => sum + decisions, 0),
      items: queue.counts.reduce((sum, { items }) => sum + items, 0),
      results,
    };
  },
});

const apply = command({
  path: "desk apply",
  does: "turn the desk's decisions into rows, and rewrite the view",
  takes: nothing,
  access: "none",
  clock: "writes rows",
  run: async ({ context, clock }) => ({ ...(await applyDeskDecisions(context, { clock })) }),
});

export const commands = [serve, enrol, people, remove, view, apply];
