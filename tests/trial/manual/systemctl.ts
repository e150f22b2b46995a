/**
 * Stands in for systemctl where no systemd runs: starts and stops services as their units say. Enabling is systemctl's own
 * work. Runs inside the tree, with Node of the project that is mounted there.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { loadService, loadUnit, type Service, STATES, UnitError, wrapped } from "./service.ts";
import { unitCommand, words } from "./unit-file.ts";

const LOGS = "/var/log/trial-units";
const fullName = (name: string) => (/\.[a-z]+$/.test(name) ? name : `${name}.service`);
const stateFile = (name: string, kind: "pid" | "failed" | "active") => join(STATES, `${name}.${kind}`);

function runOnce(service: Service, line: string): number {
  const { argv, mayFail } = unitCommand(line, service.env);
  const log = openSync(logFile(service.name), "a");
  const [program = "", ...args] = wrapped(service, argv);
  const { status, error } = spawnSync(program, args, { ...options(service), stdio: ["ignore", log, log] });
  if (error !== undefined) throw error;
  const allowed = words(service.unit, "SuccessExitStatus").map(Number);
  return mayFail || allowed.includes(status ?? 1) ? 0 : (status ?? 1);
}

function options({ unit, env }: Service) {
  process.umask(Number.parseInt(unit("UMask").at(-1) ?? "0022", 8));
  return { cwd: unit("WorkingDirectory").at(-1) ?? "/", env };
}

function logFile(name: string): string {
  mkdirSync(LOGS, { recursive: true });
  return join(LOGS, `${name}.log`);
}

function runAll(service: Service, setting: string): void {
  for (const line of service.unit(setting)) {
    const status = runOnce(service, line);
    if (status !== 0) throw new UnitError(1, `${service.name}: ${line} ended with ${status}`);
  }
}

function mainPid(name: string): number | undefined {
  const file = stateFile(name, "pid");
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8"));
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return stat === "" || stat.slice(stat.lastIndexOf(")")).startsWith(") Z") ? undefined : pid;
}

async function startService(name: string): Promise<void> {
  if (mainPid(name) !== undefined) return;
  rmSync(stateFile(name, "failed"), { force: true });
  const service = loadService(name);
  if (service.unit("ConditionVirtualization").includes("!container")) return;
  try {
    runAll(service, "ExecStartPre");
    await launch(service);
  } catch (error) {
    writeFileSync(stateFile(name, "failed"), "");
    throw error;
  }
}

async function launch(service: Service): Promise<void> {
  const type = service.unit("Type").at(-1) ?? "simple";
  if (type === "oneshot") runAll(service, "ExecStart");
  else if (type === "forking") await launchForking(service);
  else launchSimple(service);
}

/** Its file of the process id is followed, because a service may replace its process by another one. */
async function launchForking(service: Service): Promise<void> {
  runAll(service, "ExecStart");
  const link = stateFile(service.name, "pid");
  rmSync(link, { force: true });
  symlinkSync(service.unit("PIDFile").at(-1) ?? "", link);
  for (let waited = 0; waited < 100 && mainPid(service.name) === undefined; waited++) await wait(100);
}

function launchSimple(service: Service): void {
  const log = openSync(logFile(service.name), "a");
  const [line = ""] = service.unit("ExecStart");
  const [program = "", ...args] = wrapped(service, unitCommand(line, service.env).argv);
  const child = spawn(program, args, { ...options(service), detached: true, stdio: ["ignore", log, log] });
  child.unref();
  rmSync(stateFile(service.name, "pid"), { force: true });
  writeFileSync(stateFile(service.name, "pid"), String(child.pid));
}

async function stopService(name: string): Promise<void> {
  const pid = mainPid(name);
  if (pid === undefined) return;
  const service = loadService(name);
  for (const line of service.unit("ExecStop")) runOnce(service, line);
  if (mainPid(name) !== undefined) process.kill(pid, "SIGTERM");
  const seconds = Number.parseInt(service.unit("TimeoutStopSec").at(-1) ?? "90", 10);
  for (let waited = 0; waited < seconds * 10 && mainPid(name) !== undefined; waited++) await wait(100);
  if (mainPid(name) !== undefined) process.kill(pid, "SIGKILL");
  rmSync(stateFile(name, "pid"), { force: true });
}

function reloadService(name: string): void {
  const pid = mainPid(name);
  if (pid === undefined) throw new UnitError(1, `${name} is not active, cannot reload.`);
  const service = loadService(name);
  runAll({ ...service, env: { ...service.env, MAINPID: String(pid) } }, "ExecReload");
}

function isActive(name: string): boolean {
  return name.endsWith(".service") ? mainPid(name) !== undefined : existsSync(stateFile(name, "active"));
}

/** A timer, target or socket is noted as active; the trial lets timers elapse. */
function note(name: string): void {
  loadUnit(name);
  writeFileSync(stateFile(name, "active"), "");
}

async function start(name: string): Promise<void> {
  if (name.endsWith(".service")) await startService(name);
  else note(name);
}

async function stop(name: string): Promise<void> {
  if (name.endsWith(".service")) await stopService(name);
  else rmSync(stateFile(name, "active"), { force: true });
}

async function restart(name: string): Promise<void> {
  await stop(name);
  await start(name);
}

const VERBS: Readonly<Record<string, (name: string) => void | Promise<void>>> = {
  start,
  stop,
  restart,
  reload: reloadService,
  "try-restart": async (name) => (isActive(name) ? restart(name) : undefined),
  "reload-or-restart": restart,
};

function own(...args: string[]): number {
  const offline = ["SYSTEMD_OFFLINE=1", "/usr/bin/systemctl.debian", ...args];
  return spawnSync("env", offline, { stdio: "inherit" }).status ?? 1;
}

function answer(names: readonly string[], is: (name: string) => boolean, yes: string, no: string): number {
  for (const name of names) process.stdout.write(`${is(name) ? yes : no}\n`);
  return names.some(is) ? 0 : 3;
}

async function main(args: readonly string[]): Promise<number> {
  mkdirSync(STATES, { recursive: true });
  const [verb = "", ...rest] = args.filter((arg) => !arg.startsWith("-"));
  const names = rest.map(fullName);
  if (verb === "is-active" || verb === "status") return answer(names, isActive, "active", "inactive");
  if (verb === "is-failed")
    return answer(names, (name) => existsSync(stateFile(name, "failed")), "failed", "inactive");
  if (/^(daemon-|reset-failed)/.test(verb)) return 0;
  const run = args.includes("--now") ? { enable: start, disable: stop }[verb] : VERBS[verb];
  if (run === undefined) return own(...args);
  if (args.includes("--now")) {
    const status = own(verb, ...names);
    if (status !== 0) return status;
  }
  for (const name of names) await run(name);
  return 0;
}

const called = process.argv.slice(2);
appendFileSync(logFile("systemctl"), `systemctl ${called.join(" ")}\n`);
try {
  process.exitCode = await main(called);
} catch (error) {
  if (!(error instanceof UnitError)) throw error;
  appendFileSync(logFile("systemctl"), `${error.message}\n`);
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.status;
}
