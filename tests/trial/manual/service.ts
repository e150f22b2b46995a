/** A service of a unit file: its environment, and the command line that runs a program as the unit says. */
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnvironmentFile } from "../../../src/kernel/config/environment-file.ts";
import { parseUnit, type Unit, words } from "./unit-file.ts";

const UNIT_FOLDERS = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"];
/** State of the units: NAME.pid, NAME.failed, NAME.active. */
export const STATES = "/run/trial-units";
/** As DefaultEnvironment= of systemd would have it; the certificates are the trial's. */
const DEFAULTS = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
  LANG: "C.UTF-8",
  NODE_EXTRA_CA_CERTS: "/trial/certificates.pem",
};
const FOLDERS = {
  CacheDirectory: "/var/cache",
  LogsDirectory: "/var/log",
  RuntimeDirectory: "/run",
  StateDirectory: "/var/lib",
} as const;

export class UnitError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function loadUnit(name: string): Unit {
  const path = UNIT_FOLDERS.map((folder) => join(folder, name)).find(existsSync);
  if (path === undefined) throw new UnitError(5, `Unit ${name} not found.`);
  return parseUnit(readFileSync(path, "utf8"));
}

export interface Service {
  readonly name: string;
  readonly unit: Unit;
  readonly user: string;
  readonly group: string;
  readonly env: Readonly<Record<string, string>>;
}

export function loadService(name: string): Service {
  const unit = loadUnit(name);
  const user = unit("User").at(-1) ?? "root";
  const group = unit("Group").at(-1) ?? idOf("-gn", user);
  return { name, unit, user, group, env: environment(unit, user) };
}

const idOf = (option: string, user: string) =>
  execFileSync("id", [option, user], { encoding: "utf8" }).trim();

function environment(unit: Unit, user: string): Record<string, string> {
  const home = execFileSync("getent", ["passwd", user], { encoding: "utf8" }).split(":")[5] ?? "/";
  const env: Record<string, string> = { ...DEFAULTS, HOME: home, USER: user, LOGNAME: user };
  for (const assignment of unit("Environment")) {
    const [, name = "", value = ""] = /^"?(\w+)=(.*?)"?$/.exec(assignment) ?? [];
    env[name] = value;
  }
  for (const path of unit("EnvironmentFile")) {
    if (path.startsWith("-") && !existsSync(path.slice(1))) continue;
    const text = readFileSync(path.replace(/^-/, ""), "utf8");
    Object.assign(env, Object.fromEntries(parseEnvironmentFile(text).variables));
  }
  return env;
}

/** The folders that the unit asks for, made for its user. */
function ownFolders({ unit, user, group }: Service): string[] {
  return Object.entries(FOLDERS).flatMap(([setting, parent]) =>
    words(unit, setting).map((name) => {
      const path = join(parent, name);
      mkdirSync(path, { recursive: true, mode: 0o755 });
      chownSync(path, Number(idOf("-u", user)), groupId(group));
      return path;
    }),
  );
}

function groupId(group: string): number {
  return Number(execFileSync("getent", ["group", group], { encoding: "utf8" }).split(":")[2]);
}

/** Mounts of the service's own, in the order in which they must be made. */
function mounts(service: Service): string {
  const { unit } = service;
  const commands: string[] = [];
  const isStrict = unit("ProtectSystem").at(-1) === "strict";
  if (isStrict) {
    for (const path of [...words(unit, "ReadWritePaths"), ...ownFolders(service)]) {
      const plain = path.replace(/^-/, "");
      commands.push(`${path.startsWith("-") ? `[ ! -e ${plain} ] || ` : ""}mount --bind ${plain} ${plain}`);
    }
    commands.push("mount -o remount,bind,ro /");
  }
  if (/^(yes|true)$/.test(unit("PrivateTmp").at(-1) ?? ""))
    commands.push("mount -t tmpfs -o mode=1777 tmp /tmp", "mount -t tmpfs -o mode=1777 tmp /var/tmp");
  for (const path of closedPaths(unit)) commands.push(`mount --bind ${closedFor(path)} ${path}`);
  return commands.join(" && ");
}

function closedPaths(unit: Unit): string[] {
  const homes = unit("ProtectHome").at(-1) === "yes" ? ["/root", "/home"] : [];
  return [...words(unit, "InaccessiblePaths"), ...homes]
    .map((path) => path.replace(/^-/, ""))
    .filter(existsSync);
}

function closedFor(path: string): string {
  const closed = join(STATES, statSync(path).isDirectory() ? "closed-folder" : "closed-file");
  if (closed.endsWith("folder")) mkdirSync(closed, { recursive: true, mode: 0 });
  else writeFileSync(closed, "", { mode: 0 });
  return closed;
}

/** The command as the unit's user, behind the unit's mounts: each program becomes the next, so it keeps one process id. */
export function wrapped(service: Service, argv: readonly string[]): string[] {
  const { unit, user, group } = service;
  const prepare = mounts(service);
  const groups = [...idOf("-G", user).split(" "), ...words(unit, "SupplementaryGroups").map(groupId)];
  const isBounded = unit("CapabilityBoundingSet").length === 0 && user !== "root";
  const rights = [
    `--reuid=${user}`,
    `--regid=${group}`,
    `--groups=${[groupId(group), ...groups].join(",")}`,
    ...(isBounded ? ["--bounding-set=-all", "--inh-caps=-all"] : []),
    ...(unit("NoNewPrivileges").at(-1) === "yes" ? ["--no-new-privs"] : []),
  ];
  const script = `${prepare === "" ? "" : `${prepare} && `}exec "$@"`;
  return [
    "unshare",
    "--mount",
    "sh",
    "-c",
    script,
    "sh",
    ...(user === "root" ? [] : ["setpriv", ...rights]),
    ...argv,
  ];
}
