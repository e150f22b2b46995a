import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

/** deploy/compose.yaml and the Containerfile against the units of a machine. tests/operator/machine.test.ts has Compose read the file. */

const DEPLOY = join(import.meta.dirname, "../../deploy");
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");

const Service = z.looseObject({
  user: z.string().optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.unknown()),
  healthcheck: z.looseObject({}).optional(),
  restart: z.literal("unless-stopped"),
});
const Compose = z.looseObject({
  services: z.record(z.string(), z.looseObject({})),
  volumes: z.looseObject({}),
});
const compose = Compose.parse(parse(read("compose.yaml"), { merge: true }));
const service = (name: string) => Service.parse({ environment: {}, ...compose.services[name] });

const CONTAINERFILE = read("container/Containerfile").replaceAll("\\\n", "");
const UNIT_OF = { server: "presence.service", night: "presence-nightly.service" } as const;
const OF_UNITS = Object.entries(UNIT_OF).map(([name, unit]) => ({
  name,
  unit,
  text: read(`systemd/${unit}`),
}));

/** All values of a setting of a unit. */
const values = (text: string, setting: string) =>
  Array.from(text.matchAll(new RegExp(`^${setting}=(.*)$`, "gm")), ([, value = ""]) =>
    value.split(" "),
  ).flat();

/** Where a service may write, and where it may read, below a folder. */
function mounts(name: string, below: string) {
  const all = service(name).volumes.map((volume) => volume.replace(/\$\{[^}]*\}/g, "").split(":"));
  const inside = all.map(([, target = "", mode = "rw"]) => ({ target, mode }));
  return inside.filter(({ target }) => target.startsWith(below));
}

test("one command starts server, night and front; databases wait for their profile", () => {
  const profiles = Object.keys(compose.services).map((name) => [name, service(name).profiles]);
  expect(Object.fromEntries(profiles)).toEqual({
    server: [],
    night: [],
    front: [],
    postgres: ["databases"],
    redis: ["databases"],
  });
});

test.each(OF_UNITS)("$name has the user of $unit, and writes where it does", ({ name, text }) => {
  expect(service(name).user).toBe(values(text, "User")[0]);
  const written = mounts(name, "/srv/presence").filter(({ mode }) => mode === "rw");
  const places = values(text, "ReadWritePaths").filter((path) => path.startsWith("/srv/presence"));
  expect(written.map(({ target }) => target)).toEqual(places);
});

test.each(OF_UNITS)(
  "$name reads the settings of $unit, and secrets of its own user alone",
  ({ name, text }) => {
    const { environment, user } = service(name);
    expect(`PRESENCE_SETTINGS=${environment["PRESENCE_SETTINGS"]}`).toBe(values(text, "Environment")[0]);
    expect(mounts(name, "/etc/presence")).toEqual([
      { target: "/etc/presence/presence.toml", mode: "ro" },
      { target: `/etc/presence/${user}`, mode: "ro" },
    ]);
  },
);

test("the server reads releases, and compiles pages where its unit does", () => {
  const [pages = ""] = values(read("systemd/presence.service"), "Environment").slice(1);
  expect(mounts("server", "/srv/presence/night")).toEqual([{ target: "/srv/presence/night", mode: "ro" }]);
  expect(CONTAINERFILE).toContain(`ENV ${pages}\n`);
  expect(mounts("server", "/var/cache")).toEqual([{ target: "/var/cache/presence-web", mode: "rw" }]);
});

test("the image makes users, groups and folders as tmpfiles and install.md do", () => {
  const made = (user: string) => new RegExp(`useradd [^&]*--groups presence-state [^&]*${user}(\\s|$)`);
  for (const { name } of OF_UNITS) expect(CONTAINERFILE).toMatch(made(service(name).user ?? ""));
  const folders = read("tmpfiles.d/presence.conf").matchAll(
    /^d (\/srv\/presence\/(?:night|state)) +0?(\d+) (\S+) +(\S+)$/gm,
  );
  const lines = Array.from(
    folders,
    ([, path, mode = "", user, group]) =>
      `install -d -o ${user} -g ${group} -m ${mode.padStart(4, "0")} ${path} `,
  );
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(`${CONTAINERFILE} `).toContain(line);
  const [nginx] =
    /--gid (\d+) presence-files(?= +&& usermod --append --groups presence-files www-data)/.exec(
      CONTAINERFILE,
    ) ?? [];
  expect(nginx).toBe(
    /--gid \d+ presence-files/.exec(CONTAINERFILE.slice(CONTAINERFILE.lastIndexOf("FROM ")))?.[0],
  );
});

test("only the front publishes ports, those of nginx; the server's is checked inside", () => {
  const listens = new Set(
    Array.from(read("nginx/example.conf").matchAll(/listen (\d+)/g), ([, port]) => port),
  );
  expect(service("front").ports.sort()).toEqual(
    [...listens].map((port) => `${port}:${port}`).sort((a, b) => (a < b ? -1 : 1)),
  );
  expect(service("server").ports).toEqual([]);
  expect(service("server").healthcheck).toBeUndefined(); // the image's
  const exposed = /^EXPOSE (\d+)$(?![\s\S]*^EXPOSE)/m.exec(CONTAINERFILE)?.[1];
  expect(CONTAINERFILE).toMatch(new RegExp(`^HEALTHCHECK .*127\\.0\\.0\\.1:${exposed}/healthz`, "m"));
  expect(read("nginx/example.conf")).toContain(`server 127.0.0.1:${exposed} `);
});

test("nginx asks the server at its address of compose.yaml", () => {
  const [address] = /(?<=ipv4_address: )[\d.]+/.exec(read("compose.yaml")) ?? [];
  expect(read("container/front")).toContain(`s/127.0.0.1:4321/${address}:4321/`);
});

test("the hour of the night is that of its timer", () => {
  const [, hours, minutes] =
    /^OnCalendar=\*-\*-\* (\d+):(\d+):00 UTC$/m.exec(read("systemd/presence-nightly.timer")) ?? [];
  expect(read("container/timers")).toContain(`AT=${Number(hours) * 3600 + Number(minutes) * 60} `);
});

/** Runs deploy/container/timers with a program that ends with each of these codes, and a `sleep` that only tells its seconds. */
function timersOf(codes: readonly number[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "timers-"));
  const program = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), `#!/bin/sh\n${text}`);
    chmodSync(join(folder, path), 0o755);
  };
  program("bin/presence", `echo "$*" >> ${folder}/done; exec ${folder}/next`);
  program("next", `read -r code < ${folder}/codes || code=0; sed -i 1d ${folder}/codes; exit "$code"`);
  program("tools/sleep", `echo "sleep $1" >> ${folder}/done; [ "$1" = 600 ] || kill $PPID`);
  writeFileSync(join(folder, "codes"), `${codes.join("\n")}\n`);
  mkdirSync(join(folder, "home/night"), { recursive: true });
  writeFileSync(join(folder, "home/night/ledger.db"), "");
  mkdirSync(join(folder, "deploy/container"), { recursive: true });
  copyFileSync(join(DEPLOY, "container/timers"), join(folder, "deploy/container/timers"));
  const env = { PATH: `${folder}/tools:/usr/bin:/bin`, PRESENCE_HOME: join(folder, "home") };
  spawnSync(join(folder, "deploy/container/timers"), { env, timeout: 30_000 });
  const done = readFileSync(join(folder, "done"), "utf8").trim().split("\n");
  rmSync(folder, { recursive: true });
  return done;
}

test("a night that fails is tried again in ten minutes, and after the doctor the next one waits for its hour", () => {
  const done = timersOf([1, 137, 0, 1]);
  expect(done.slice(0, 6)).toEqual([
    "nightly --json",
    "sleep 600",
    "nightly --json",
    "sleep 600",
    "nightly --json",
    "doctor",
  ]);
  const seconds = Number(done[6]?.split(" ")[1]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
});

test.each([2, 3, 75])("a night that ends with %i is not tried again", (code) => {
  expect(timersOf([code]).slice(0, 2)).toEqual(["nightly --json", "doctor"]);
});
