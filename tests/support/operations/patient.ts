import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Config, configFrom } from "../../../src/kernel/config/config.ts";
import { type Home, homePaths, systemUser } from "../../../src/kernel/home.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import type { CheckContext } from "../../../src/operations/doctor/check.ts";
import { type CheckName, findingsOf } from "../../../src/operations/doctor/checks.ts";
import { openState } from "../../../src/state/open-state.ts";
import { TestLedger } from "../ledger/small-ledger.ts";

/** A service that answers, with a certificate for two months more. */
export const SOUND_SERVICE: Pick<CheckContext, "ask" | "askCertificate"> = {
  ask: async () => ({ status: 200, body: "ready" }),
  askCertificate: async () => ({ endsAt: Date.now() + 60 * DAY_MS, problem: undefined }),
};

/** For tests: the home of a service with a sealed ledger, in which a test makes a fault. */
export class TestPatient implements Disposable {
  readonly ledger: TestLedger;
  readonly home: Home;
  env: Record<string, string>;
  freeBytes = 1e12;
  isFull = false;
  systemctl: CheckContext["systemctl"] = () => undefined;

  /** `parent`: the folder in which its home is made, where the usual one for temporary files will not do. */
  constructor(parent?: string) {
    this.ledger = new TestLedger(undefined, undefined, parent);
    // The home of the test ledger, which has the same file names.
    this.home = homePaths(this.ledger.folder);
    this.env = { PRESENCE_HOME: this.home.root };
    mkdirSync(this.home.releases);
    this.ledger.sealAt("2026-05-01T12:00:00Z");
  }

  at(instant: string): void {
    this.ledger.time = Date.parse(instant);
  }

  path(...names: string[]): string {
    return join(this.home.night, ...names);
  }

  config(): Config {
    return configFrom(this.env);
  }

  patient(): CheckContext {
    const { home, ledger, freeBytes, isFull, systemctl } = this;
    const config = this.config();
    const clock = () => ledger.time;
    return {
      config,
      home,
      now: ledger.time,
      isFull,
      user: systemUser(),
      serverUnit: this.path("presence.service"),
      systemctl,
      settingsFolder: this.path("no-settings"),
      ...SOUND_SERVICE,
      freeBytes: () => freeBytes,
      openState: () => openState(config.stateUrl, home, { clock }),
    };
  }

  /** What a check finds, a line each. */
  async problems(check: CheckName, of: Partial<CheckContext> = {}): Promise<string[]> {
    const patient = { ...this.patient(), ...of };
    const found = await findingsOf(check, patient);
    return found.map(({ problem }) => problem.replaceAll(patient.home.root, "HOME"));
  }

  [Symbol.dispose](): void {
    this.ledger[Symbol.dispose]();
  }
}
