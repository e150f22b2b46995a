import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { DESK_UNIT, setUpDesk } from "../support/machine/desk.ts";
import { hasImage, imageOf, inImage, missingForMachines, reachesMirror } from "../support/machine/image.ts";
import type { Machine } from "../support/machine/machine.ts";
import {
  asked,
  bootedMachine,
  elapseNow,
  putCertificate,
  SERVICE_PACKAGES,
  SITE,
  setUpService,
  shown,
} from "../support/machine/service.ts";
import { PROJECT } from "../support/operations/presence-process.ts";

/** The service in a Debian with its own systemd: units, timers, filters and users as they are on a server. `npm run trial` has the long form. */

const RECIPE = { installed: SERVICE_PACKAGES };

async function missing(): Promise<string | undefined> {
  if (missingForMachines()?.startsWith("debootstrap") === true) await installDebianPackages("debootstrap");
  const reason = missingForMachines();
  if (reason !== undefined || hasImage(RECIPE)) return reason;
  return reachesMirror() ? undefined : "no image of a machine is kept, and Debian's mirror is out of reach";
}

const reason = await missing();
const SECONDS = { timeout: 120_000, interval: 200 };
const MAKING_MS = 1_800_000; // of the image, once; it ends only what hangs

describe.skipIf(reason !== undefined)(
  `a machine${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "machine-"));
    let machine: Machine;

    beforeAll(() => {
      const image = imageOf(RECIPE);
      machine = bootedMachine(image, folder);
      setUpService(machine);
      machine.text("root", "systemctl enable --now presence.service");
    }, MAKING_MS);

    afterAll(async () => {
      await machine[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test("one night by its timer makes a release, which nginx and the server answer over HTTPS", async () => {
      elapseNow(machine, "nightly");
      const night = "presence-nightly.service";
      await expect.poll(() => shown(machine, night, "ExecMainExitTimestamp"), SECONDS).not.toBe("");
      expect(shown(machine, night, "Result"), machine.journal(night)).toBe("success");
      await expect.poll(() => asked(machine, "/readyz"), SECONDS).toBe('{"status":"ok"}\n');
      expect(asked(machine, "/city/toronto/")).toContain("Toronto");
      expect(JSON.parse(asked(machine, "/api/v1/search?name=test&city=toronto"))).toMatchObject({
        total_count: 4,
      });
    });

    let desk: ReturnType<typeof setUpDesk>;

    test("a lead signs in at the desk, through nginx, and decides; the desk's user reads nothing else", () => {
      const { hits } = JSON.parse(machine.text("presence", "presence find 'Blue Kettle Test Café' --json"));
      machine.text("presence", `presence review flag ${hits[0].row} --as team --reason suspicious_pattern`);
      desk = setUpDesk(machine);
      const { id: subject, version, html } = desk.post("/api/next", { keep: [], skip: [] }).entry;
      const [, reason] = /data-reason="0" value="(\w+)"/.exec(html) ?? [];
      desk.post("/api/decide", { subject, version, choice: 0, reason });
      expect(desk.lists("/srv/presence/desk/own")).toContain("desk.db");
      for (const closed of CLOSED) expect(desk.lists(closed), closed).toBe("");
    });

    test("systemd finds nothing to complain of in any unit", () => {
      const { status, stdout, stderr } = machine.shell(
        "root",
        "cd /etc/systemd/system && systemd-analyze verify --man=no presence*.*",
      );
      expect(`${stdout}${stderr}`).toBe("");
      expect(status).toBe(0);
    });

    test("Compose reads deploy/compose.yaml, with and without its profile, and asks for the name of the site", () => {
      const compose = (words: string) =>
        machine.shell(
          "root",
          `cd /opt/presence/deploy && ${words.replace("config", "docker-compose config --quiet")}`,
        );
      expect(compose("SITE=a.example config")).toMatchObject({ status: 0, stderr: "" });
      expect(compose("SITE=a.example COMPOSE_PROFILES=databases config")).toMatchObject({
        status: 0,
        stderr: "",
      });
      expect(compose("config").stderr).toContain("name the DNS name of the service");
    });

    test("the steps of the Containerfile make what the server needs, and a front that nginx accepts", () => {
      const pages = "var/cache/presence-web/pages"; // compiled already
      expect(inStage("program", SERVE, join(machine.root, pages), pages)).toMatch(
        /presence-web serves http\S+\n$/,
      );
      expect(inStage("front", FRONT)).toBe("nginx accepts it\n");
    });

    test("what was decided at the desk is a row by now, by the ledger's user", async () => {
      await expect
        .poll(() => desk.post("/api/status", {}).decisions[0], SECONDS)
        .toMatchObject({ state: "decided", row: expect.any(Number) });
      expect(machine.text("presence", "presence review list")).toContain("nothing waits for a decision");
      expect(machine.journal(DESK_UNIT)).not.toMatch(/Anna|Test|integrity/);
    });

    test("a killed server comes back, and its unit says what ended it", async () => {
      const server = "presence.service";
      const before = shown(machine, server, "MainPID");
      machine.text("root", `systemctl kill --signal=KILL ${server}`);
      await expect
        .poll(() => shown(machine, server, "MainPID"), SECONDS)
        .not.toMatch(new RegExp(`^(0|${before})$`));
      await expect.poll(() => asked(machine, "/readyz"), SECONDS).toBe('{"status":"ok"}\n');
      expect(machine.journal(server)).toContain("code=killed, status=9/KILL");
    });
  },
);

/** What only the ledger's user and the server's read. */
const CLOSED = [
  "/srv/presence/night",
  "/srv/presence/state",
  "/srv/presence/inbox",
  "/etc/presence/presence",
  "/etc/presence/presence-web",
];

const SERVE = `as() { runuser -u "$1" -- env PRESENCE_HOME=/srv/presence PORT=0 "\${@:2}"; }
chown -R presence-web: /var/cache/presence-web
as presence bin/presence init --origin a.example/presence > /dev/null
as presence-web env COMPILED_PAGES=/var/cache/presence-web/pages bin/presence serve > /served &
until grep -q Ctrl-C /served; do kill -0 $! && sleep 0.2; done
echo "presence-web serves $(grep -o 'http[^ ]*' /served | head -1)"
kill $!; wait $! || :`;

const FRONT = `cp -r deploy/nginx /etc/nginx/presence
sed 's/^exec nginx.*/nginx -t -q/' deploy/container/front | SITE=${SITE} sh && echo "nginx accepts it"`;

/** What a script prints in a Debian after the RUN steps of a stage; the image has their packages, and its bookworm is the trixie of machines. */
function inStage(name: string, script: string, copied?: string, to = ""): string {
  const text = readFileSync(join(PROJECT, "deploy/container/Containerfile"), "utf8").replaceAll("\\\n", "");
  const stage = text.split(/^FROM /m).find((each) => each.split("\n")[0]?.endsWith(` AS ${name}`)) ?? "";
  const steps = Array.from(stage.matchAll(/^RUN (.*)$/gm), ([, line = ""]) =>
    line.replace(/apt-get .*nginx-light/, ":"),
  );
  const folder = mkdtempSync(join(tmpdir(), "container-"));
  putCertificate(join(folder, "upper"));
  if (copied !== undefined) cpSync(copied, join(folder, "upper", to), { recursive: true });
  const whole = `${steps.join("\n")}\ncd /opt/presence\n${script}`;
  const { status, stdout, stderr } = inImage(imageOf(RECIPE), folder, whole, [PROJECT, "/opt/presence"]);
  rmSync(folder, { recursive: true, force: true });
  expect(status, stderr).toBe(0);
  return stdout;
}
