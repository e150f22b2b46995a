/** Days of the service that the pages set up: deliveries and nights by the timers, and what pages 8 to 10 do when something is wrong. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../../src/kernel/time.ts";
import type { Machine } from "../../support/machine/machine.ts";
import { elapseNow, shown } from "../../support/machine/service.ts";
import { type Section, sectionBlocks, withValues } from "./blocks.ts";
import { type Checks, doctor, isReady, type SetUp, until } from "./check.ts";
import { businesses, CLUB, clubDelivery, type Delivery, FIRM, firmDelivery, TOWN } from "./deliveries.ts";
import { SUBSTITUTIONS, substituted } from "./stand-ins.ts";

export const DAYS: Checks = {
  "the first deliveries ask few decisions": asksLittle,
  "nine nights by the timers, with deliveries by the inbox": livesNineDays,
  "records of the city are ranked": ranks,
  "a damaged backup is found before old ones go": prunesNothing,
  "a file of nonsense is held, found and undone": undoesFile,
  "a wrong name is mended": mendsName,
  "an owner who leaves is gone": optsOut,
  "an upgrade by page 10": upgrades,
};

/** After everything else, because what is public for two weeks is not what it was before. */
export const LAST: Checks = {
  "a supplier is found and deleted": withdraws,
};

export const TOWN_SIZE = 250;
const DAY_S = 86_400;
const MAX_DECISIONS = 60; // for each LINES
const LINES = 3000;

/** Types the blocks of a section in a new shell of root, after the values of page 1, with the reader's own values. */
function type(setUp: SetUp, section: Section, values: Readonly<Record<string, string>> = {}): string {
  const blocks = sectionBlocks(setUp.docs, section);
  const texts = blocks.map((block) => withValues(substituted(block, SUBSTITUTIONS), values));
  return setUp.debian.text("root", [". /root/presence-setup", ...texts].join("\n"));
}

const presence = (debian: Machine, line: string) => debian.text("presence", `cd / && presence ${line}`);

/** What a person has to decide: groups that one command answers, and items. The counts come before them. */
function decisions(debian: Machine): string[] {
  const [, ...asked] = presence(debian, "review list --limit 10000 --json").trim().split("\n");
  return asked;
}

async function asksLittle({ debian }: SetUp): Promise<string> {
  const { length } = decisions(debian);
  const all = deliveredLines(debian);
  if (length > (MAX_DECISIONS * all) / LINES) throw new Error(`${length} decisions for ${all} lines`);
  return `${length} decisions for ${all} lines`;
}

const COUNT_FILE = "trial/delivered";

function deliveredLines(debian: Machine): number {
  const file = join(debian.root, COUNT_FILE);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

export function countDelivered(debian: Machine, lines: number): void {
  writeFileSync(join(debian.root, COUNT_FILE), String(deliveredLines(debian) + lines));
}

/** As a supplier does it: written under another name, and renamed when it is whole. */
function deliver(debian: Machine, source: string, { name, bytes, lines }: Delivery): void {
  const inbox = `/srv/presence/inbox/${source}`;
  writeFileSync(join(debian.root, "trial/delivery"), bytes);
  debian.text(
    "root",
    `install -g presence-inbox -m 0640 /trial/delivery ${inbox}/.${name}.part && mv ${inbox}/.${name}.part ${inbox}/${name}`,
  );
  countDelivered(debian, lines);
}

/** The batch that its path unit makes of a file. */
async function takenBatch(debian: Machine, before: ReadonlySet<string>): Promise<string> {
  let batch: string | undefined;
  await until("the path unit takes the file", async () => {
    batch = [...batches(debian)].find((each) => !before.has(each));
    return batch !== undefined;
  });
  return batch ?? "";
}

function batches(debian: Machine): ReadonlySet<string> {
  return new Set(presence(debian, "batch list").match(/^b\d+(?= )/gm) ?? []);
}

/** The service's processes read one clock, which is days before the machine's; that of systemd and its calendar stay. */
class Calendar {
  readonly #debian: Machine;
  #days = 0;

  constructor(debian: Machine) {
    this.#debian = debian;
    this.#write();
    for (const user of ["presence", "presence-web"])
      debian.text(
        "root",
        `file=/etc/presence/${user}/environment; grep -qs FAKETIME $file || printf 'LD_PRELOAD=%s\\nFAKETIME_TIMESTAMP_FILE=/trial/clock\\nFAKETIME_DONT_FAKE_MONOTONIC=1\\nFAKETIME_CACHE_DURATION=1\\n' /usr/lib/*/faketime/libfaketimeMT.so.1 >> $file`,
      );
    debian.text("root", "systemctl restart presence.service");
  }

  get now(): number {
    return Date.now() + this.#days * DAY_S * 1000;
  }

  tomorrow(): void {
    this.#days += 1;
    this.#write();
  }

  #write(): void {
    writeFileSync(join(this.#debian.root, "trial/clock"), `+${this.#days * DAY_S}\n`);
  }
}

const calendars = new WeakMap<Machine, Calendar>();

function calendarOf(debian: Machine): Calendar {
  const known = calendars.get(debian) ?? new Calendar(debian);
  calendars.set(debian, known);
  return known;
}

/** Every timer of the service elapses; the night has to publish. */
async function night(debian: Machine): Promise<string> {
  calendarOf(debian).tomorrow();
  const unit = "presence-nightly.service";
  const started = () => shown(debian, unit, "ExecMainStartTimestampMonotonic");
  const before = started();
  elapseNow(debian, "nightly");
  await until(
    "the night by its timer",
    async () => started() !== before && shown(debian, unit, "ActiveState") !== "activating",
  );
  if (shown(debian, unit, "Result") !== "success") throw new Error(debian.journal(unit).slice(-3000));
  return releaseOf(debian);
}

const releaseOf = (debian: Machine) => debian.text("root", "readlink /srv/presence/night/current").trim();

const OTHER_TIMERS = ["backup", "backup-prune", "log-import", "outbox", "check"];

async function livesNineDays(setUp: SetUp): Promise<string> {
  const { debian } = setUp;
  const town = businesses(TOWN_SIZE);
  const releases = new Set([releaseOf(debian)]);
  for (let day = 1; day <= 9; day++) {
    const span = { end: calendarOf(debian).now, days: 1, times: 1 };
    for (const [source, delivery] of [
      [FIRM, firmDelivery(town, span)],
      [CLUB, clubDelivery(town.slice(day, day + 60), span)],
    ] as const) {
      const before = batches(debian);
      deliver(debian, source, delivery);
      await takenBatch(debian, before);
    }
    const release = await night(debian);
    if (releases.has(release)) throw new Error(`night ${day} made no release`);
    releases.add(release);
    for (const task of OTHER_TIMERS) await elapses(debian, task);
  }
  const { status, stdout, stderr } = doctor(debian);
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  const held = decisions(debian).length;
  const all = deliveredLines(debian);
  if (held > (MAX_DECISIONS * all) / LINES) throw new Error(`${held} decisions for ${all} lines`);
  return `${releases.size} releases until ${isoTime(calendarOf(debian).now)}; ${held} decisions for ${all} lines; the doctor finds nothing`;
}

async function elapses(debian: Machine, task: string): Promise<void> {
  const unit = `presence-${task}.service`;
  const ended = () => shown(debian, unit, "ExecMainExitTimestampMonotonic");
  const before = ended();
  elapseNow(debian, task);
  await until(
    `${unit} by its timer`,
    async () => ended() !== before && shown(debian, unit, "ActiveState") !== "activating",
  );
  if (shown(debian, unit, "Result") !== "success") throw new Error(debian.journal(unit).slice(-2000));
}

async function ranks({ stranger }: SetUp): Promise<string> {
  const { text } = await stranger.get(`/api/v1/city/${TOWN.slug}/index`);
  const ranked = text.match(/"ranking_state":"ranked"/g)?.length ?? 0;
  if (ranked === 0) throw new Error(`no record is ranked: ${text.slice(0, 500)}`);
  return `${ranked} on the first page`;
}

const SNAPSHOTS =
  "set -a; . /etc/presence/presence/backup; restic --repo $BACKUP_REPOSITORY --password-file $BACKUP_PASSWORD_FILE snapshots --json --no-lock | jq length";

async function prunesNothing({ debian }: SetUp): Promise<string> {
  const snapshots = () => debian.text("presence", SNAPSHOTS).trim();
  const before = snapshots();
  const pack = debian.text("root", "find /backup/ledger/data -type f -size +1k | sort | head -1").trim();
  debian.text("root", `cp -a ${pack} /root/pack && chmod u+w ${pack} && truncate --size=-100 ${pack}`);
  const { status } = debian.run("systemctl", "start", "presence-backup-prune.service");
  const [check, prune] = ["check", "prune"].map((task) => `presence-backup-${task}.service`);
  if (status === 0) throw new Error("the removal succeeds over a damaged backup");
  if (shown(debian, check ?? "", "Result") !== "exit-code") throw new Error("the check does not fail");
  if (!/Dependency failed/.test(debian.journal(prune ?? ""))) throw new Error(debian.journal(prune ?? ""));
  if (snapshots() !== before) throw new Error("backups were removed");
  const found = doctor(debian).stdout;
  if (!/^MEND +backup.*\n/m.test(found)) throw new Error(`the doctor does not say so: ${found}`);
  debian.text(
    "root",
    `mv /root/pack ${pack} && systemctl reset-failed 'presence-backup-*' && systemctl start presence-backup-prune.service`,
  );
  return `${before} backups stay; with the object mended the removal runs`;
}

const WRONG = (section: string): Section => ({ page: "manual/09-wrong.md", section });

/** 233 lines that no street shows. Where the brake lets them pass, their records are public until the undo. */
async function undoesFile(setUp: SetUp): Promise<string> {
  const { debian } = setUp;
  const span = { end: calendarOf(debian).now, days: 1, times: 1 };
  const before = batches(debian);
  deliver(debian, FIRM, firmDelivery(businesses(233), span, { misread: true }));
  const batch = await takenBatch(debian, before);
  await night(debian);
  const state = presence(debian, "batch list --state held_back");
  if (!state.startsWith(`${batch} `)) throw new Error(`${batch} is not held back: ${state}`);
  const found = debian.shell("presence", "cd / && presence find 'Xq1 Zw7919 Vv'").stdout;
  if (!found.includes(batch)) throw new Error(`find does not lead to ${batch}: ${found}`);
  type(setUp, WRONG("a-wrong-file"), { BATCH: batch });
  const left = debian.shell("presence", "cd / && presence find 'Xq1 Zw7919 Vv'");
  if (left.status === 0) throw new Error(`it is still found: ${left.stdout}`);
  return `${batch} was held back, and is undone`;
}

function recordOf(debian: Machine, name: string): string {
  const [record] = /\bpr_[a-z0-9]{16}\b/.exec(presence(debian, `find '${name}'`)) ?? [];
  if (record === undefined) throw new Error(`find '${name}' names no record`);
  return record;
}

async function mendsName(setUp: SetUp): Promise<string> {
  const { debian, stranger } = setUp;
  const { name } = businesses(TOWN_SIZE)[3] ?? { name: "" };
  const record = recordOf(debian, name);
  const right = "De Rechte Naam";
  type(setUp, WRONG("a-wrong-name"), { RECORD: record, RIGHT: `'${right}'` });
  await night(debian);
  const { text } = await stranger.get(`/api/v1/entity/${record}`);
  if (!text.includes(right)) throw new Error(text.slice(0, 500));
  return `${record} has its right name`;
}

async function optsOut(setUp: SetUp): Promise<string> {
  const record = recordOf(setUp.debian, businesses(TOWN_SIZE)[5]?.name ?? "");
  type(setUp, WRONG("an-owner-who-wants-to-leave"), { RECORD: record });
  const gone = async () => (await setUp.stranger.get(`/api/v1/entity/${record}`)).status === 404;
  await until("the record is gone", gone);
  return `${record} answers 404`;
}

async function withdraws(setUp: SetUp): Promise<string> {
  const { debian } = setUp;
  const section = WRONG("a-supplier-who-leaves-or-cannot-be-trusted");
  const said = type(setUp, section, { SUPPLIER: CLUB });
  const state = presence(debian, "source list");
  if (!new RegExp(`${CLUB}.*withdrawn`).test(state)) throw new Error(`${said}${state}`);
  await night(debian);
  presence(debian, "replay");
  return state.split("\n").find((line) => line.includes(CLUB)) ?? "";
}

async function upgrades(setUp: SetUp): Promise<string> {
  const { debian, stranger } = setUp;
  await night(debian);
  const before = releaseOf(debian);
  for (const task of ["backup", "backup-prune", "backup-prove"]) await elapses(debian, task);
  type(setUp, { page: "manual/10-upgrade.md", section: "10-upgrade" });
  await until("the server of the new version", () => isReady(stranger));
  if (!existsSync(join(debian.root, "opt/presence-before"))) throw new Error("the old version is gone");
  return `${before} → ${releaseOf(debian)}`;
}
