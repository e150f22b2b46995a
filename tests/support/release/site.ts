import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BuildEffects, readEarlierSite } from "../../../src/build/effects.ts";
import { releaseFigures } from "../../../src/build/figures/release-figures.ts";
import { writeFigures } from "../../../src/build/figures/signed-figures.ts";
import { writeLedgerFiles } from "../../../src/build/ledger/ledger-files.ts";
import { writeExportsIndex } from "../../../src/build/stages/exports.ts";
import { writeManifest } from "../../../src/build/stages/manifest.ts";
import { currentRelease, prepareStaging, publishRelease } from "../../../src/build/stages/publish.ts";
import type { Environment } from "../../../src/contract/enums.ts";
import { type Config, configFrom } from "../../../src/kernel/config/config.ts";
import { type Home, homePaths, releasePaths } from "../../../src/kernel/home.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { contextAt } from "../../../src/resources/release-store.ts";
import { type RunningServer, type ServerDeps, startServer } from "../../../src/server/main.ts";
import { routes } from "../../../src/site/routes/routes.ts";
import { testPages } from "../pages/compiled.ts";
import { TestTown } from "./town-release.ts";

export const AS_OF = "2026-05-20T12:00:00Z";

const page = (title: string) => `<!doctype html><title>${title}</title><p>End</p>`;

/** Stand-ins for the files; the server renders the pages with arguments as they are. */
const FILES: Readonly<Record<string, string>> = {
  "index.html": page("Cities"),
  "404.html": page("Not found"),
  "city/toronto/index.html": page("Toronto"),
  "explorer/index.html": page("Explorer"),
  "cite/index.html": page("Citation"),
  "search/index.html": page("Search"),
  "assets/every-page.00000000.css": "",
  "assets/refine.00000000.js": "",
};

/** A small real release in a folder of its own: one city of three records, its JSON, feeds and tables, and made-up files of pages. */
export class TestSite {
  readonly town: TestTown;
  readonly home: Home;
  /** Whether releases link unchanged files of a signed one before, as a build does. Tests that damage files do not want it. */
  isLinking = false;

  /** A demonstration promises no next release; a production release does. */
  constructor(environment: Environment = "demo") {
    this.town = new TestTown(undefined, environment);
    this.home = homePaths(join(this.town.ledger.folder, "home"));
    this.town.city("toronto");
    for (const name of ["Alpha", "Bravo", "Charlie"]) this.addRecord(name);
  }

  addRecord(name: string): void {
    const record = this.town.record(name);
    const asset = this.town.asset(record);
    this.town.see(record, asset, `${name}-a`, "2026-04-28T10:00:00Z");
    this.town.see(record, asset, `${name}-b`, "2026-04-30T15:00:00Z");
  }

  /** Seals what is new and publishes a release of it, as `change` leaves it; returns its folder. Earlier releases stay. */
  publish(asOf = AS_OF, change: (directory: string) => void = () => undefined): string {
    const { staging, releaseId } = this.#stage(asOf);
    change(staging);
    return publishRelease(this.home, staging, releaseId);
  }

  /** The same with the files of the ledger and the signed manifest, as outsiders see a release. */
  async publishSigned(asOf = AS_OF, siteName?: string): Promise<string> {
    const { staging, releaseId, effects, treeSize } = this.#stage(asOf, siteName);
    const { ledger } = this.town;
    using reader = ledger.reader();
    writeLedgerFiles(
      { reader, effects, earlier: undefined, treeSize, asOf: Date.parse(asOf) },
      () => undefined,
    );
    const { snapshot } = releasePaths(staging);
    const sign = (text: string) => ledger.signingKey().sign(text);
    const context = contextAt(snapshot);
    const release = { ...context.snapshot.release(), compared: null, carriedCities: [] };
    writeFigures(staging, releaseFigures(context.snapshot), release.origin, sign);
    context.close();
    await writeManifest(release, snapshot, effects, sign);
    return publishRelease(this.home, staging, releaseId);
  }

  #stage(asOf: string, siteName?: string) {
    const staging = prepareStaging(this.home);
    const { snapshot, site } = releasePaths(staging);
    const treeSize = this.town.seal();
    const { releaseId } = this.town.build(treeSize, asOf, { out: snapshot, ...(siteName && { siteName }) });
    const before = this.isLinking ? currentRelease(this.home) : undefined;
    const effects = new BuildEffects(site, readEarlierSite(before && releasePaths(before).site));
    const context = contextAt(snapshot);
    for (const route of routes) {
      for (const values of route.enumerate(context.snapshot))
        effects.write(route.filePath(values), route.answer(context, values, {}));
    }
    writeExportsIndex(context.snapshot, 0, site, effects);
    context.close();
    for (const [path, text] of Object.entries(FILES)) effects.write(path, text);
    return { staging, releaseId, effects, treeSize };
  }

  /** What pruning does: every release but the given one goes. */
  removeAllBut(directory: string): void {
    for (const name of readdirSync(this.home.releases)) {
      const other = join(this.home.releases, name);
      if (other !== directory) rmSync(other, { recursive: true });
    }
  }

  serve(changes: Partial<Config> = {}, deps: Partial<ServerDeps> = {}): Promise<RunningServer> {
    const env = { PRESENCE_HOME: this.home.root, BASE_URL: "https://example.org", PORT: "0" };
    const config = { ...configFrom({ ...env, SOURCE_REVISION: "test", DELIVERY: "worker" }), ...changes };
    return startServer(config, { log: silentLog, pages: testPages, ...deps });
  }

  [Symbol.dispose](): void {
    this.town[Symbol.dispose]();
  }
}
