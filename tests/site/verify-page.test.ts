import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { ObservationsResponse } from "../../src/contract/records/observation.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { STEPS, verifyAddress } from "../../src/proof/browser/outcome.ts";
import { joinEntries, splitEntries } from "../../src/proof/tlog/leaf.ts";
import { parseTreeHead } from "../../src/proof/tlog/note.ts";
import { disclosuresPath, entriesPath, tilePath } from "../../src/proof/tlog/proof.ts";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { testKey } from "../support/pages/published-site.ts";
import { serveHome } from "../support/towns/demo-home.ts";
import { isTrial, oneOfEach } from "../support/trial.ts";
import { type Replaced, serveFiles } from "../trial/real/plain-file-server.ts";

/** The page /verify/ in a real browser, over the demonstration's files as they are and with one of them tampered with. */

const NARROW = { width: 320, height: 640 };
const ALL_PASSED = STEPS.map(() => "passed");

let browser: Browser;
let site: string;
let row: number; // an observation in a full bundle, latest in its record's list
let record: string;
let address: string;
let files: Readonly<Record<"entries" | "tile" | "upper" | "disclosures" | "list", string>>;

function read(path: string): Buffer {
  return readFileSync(join(site, path));
}

function readList(name: string): ObservationsResponse {
  return ObservationsResponse.parse(JSON.parse(read(`/api/v1/observations/${name}`).toString()));
}

beforeAll(async () => {
  browser = await openBrowser();
  site = releasePaths(homePaths(inject("demoHome")).current).site;
  const { size } = parseTreeHead(read("/ledger/checkpoint").toString());
  const lists = readdirSync(join(site, "api/v1/observations")).filter((name) => name.endsWith(".json"));
  const inFullBundle = size - (size % 512); // and the one beside it in the level above is full, too
  const list = lists.map(readList).find(({ observations: [latest] }) => latest && latest.id <= inFullBundle);
  [row, record] = [list?.observations[0]?.id ?? 0, list?.public_id ?? ""];
  address = verifyAddress(row, record);
  const bundle = Math.floor((row - 1) / 256);
  files = {
    entries: `/ledger/${entriesPath(bundle, 256)}`,
    tile: `/ledger/${tilePath({ level: 0, index: bundle, width: 256 })}`,
    upper: `/ledger/${tilePath({ level: 1, index: 0, width: Math.floor(size / 256) })}`,
    disclosures: `/ledger/${disclosuresPath(bundle)}`,
    list: `/api/v1/observations/${record}.json`,
  };
});

afterAll(() => browser.close());

/** States and sentences of the steps, once the check has ended. */
async function outcomes(page: Page) {
  await page.locator('#verdict:not([data-state="waiting"]):not([data-state="checking"])').waitFor();
  const states = await page.evaluate(STATES);
  const verdict = page.locator("#verdict");
  return {
    states: z.array(z.string()).parse(states),
    verdict: await verdict.getAttribute("data-state"),
    says: await verdict.innerText(),
  };
}

function step(page: Page, name: (typeof STEPS)[number]["name"]) {
  return page.locator(`[data-step="${name}"]`);
}

/** Opens the page over the files of the release, with some of them replaced, and waits for the verdict. */
async function check(replaced: Replaced, asked = address) {
  await using server = await serveFiles(site, replaced);
  await using watched = await WatchedPage.open(browser, server.url);
  await watched.page.goto(asked);
  const result = await outcomes(watched.page);
  const index = result.states.findIndex((state) => state !== "passed");
  const stop = STEPS[index]?.name;
  const text = stop === undefined ? "" : await step(watched.page, stop).innerText();
  const opened = await watched.page.locator("[data-step] details[open]").count();
  return { ...result, stop, text, opened, faults: watched.faults };
}

function flipped(path: string, at: number): Replaced {
  const bytes = Buffer.from(read(path));
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return new Map([[path, bytes]]);
}

function edited(path: string, edit: (text: string) => string): Replaced {
  const text = read(path).toString();
  expect(edit(text)).not.toBe(text);
  return new Map([[path, Buffer.from(edit(text))]]);
}

describe("what is in order passes", () => {
  test("from a record's page, served by the real server with its content security policy", async () => {
    const server = await serveHome(inject("demoHome"));
    try {
      await using watched = await WatchedPage.open(browser, server.url);
      const { page, faults } = watched;
      await page.goto(`/record/${record}/`);
      await page.getByRole("link", { name: `Verify row ${row}`, exact: true }).click();
      expect(new URL(page.url()).search).toBe(`?row=${row}&record=${record}`);
      const { states, verdict, says } = await outcomes(page);
      expect(states).toEqual(ALL_PASSED);
      expect(verdict).toBe("passed");
      expect(says).toContain(`Row ${row}`);
      expect(says).toContain("consistent with itself");
      expect(says).toContain(`of the record ${record}. `);
      expect(says).toContain("Not checked here: ");
      expect(faults).toEqual([]);
      const { observations } = readList(`${record}.json`);
      const shown = await page.locator("#row-text").innerText();
      for (const value of [
        observations[0]?.h3_cell,
        observations[0]?.observed_at,
        observations[0]?.observer_tag,
      ])
        expect(shown).toContain(value);
    } finally {
      await server.stop();
    }
  });

  test("from a plain file server, with Node's own stopped", async () => {
    const { states, verdict, opened, faults } = await check(new Map());
    expect(states).toEqual(ALL_PASSED);
    expect([verdict, opened]).toEqual(["passed", 0]);
    // Of a host that does not know the interface's addresses, the list is asked for under its file's name.
    expect(faults.filter((fault) => !/ 404 |\/api\/v1\/observations\//.test(fault))).toEqual([]);
  });

  test("the first row and the last of the tree, which no record lists", async () => {
    const { size } = parseTreeHead(read("/ledger/checkpoint").toString());
    for (const at of [1, size]) {
      const { states, verdict } = await check(new Map(), verifyAddress(at, record));
      expect(states).toEqual([...ALL_PASSED.slice(0, 5), "not checked", "not checked"]);
      expect(verdict).toBe("passed in part");
    }
  });

  test("all values are shown whole, with links to the files that were read", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await page.goto(address);
    await outcomes(page);
    const leaf = step(page, "leaf");
    await leaf.getByText("Values").click();
    const { observations } = readList(`${record}.json`);
    expect(await leaf.locator("dd").allInnerTexts()).toContain(observations[0]?.ledger_hash);
    expect(await leaf.getByRole("link").allInnerTexts()).toEqual([files.entries, files.tile]);
    for (const link of await page.locator("[data-step] a").all())
      expect((await fetch(server.url + (await link.getAttribute("href")))).status).toBe(200);
  });
});

describe("tampering is shown as failure, at the right step", () => {
  const cases: Record<string, [stop: string, tamper: () => Replaced]> = {
    "a wrong key": [
      "checkpoint",
      () => edited("/ledger/vkey", (vkey) => testKey("x", vkey.split("+")[0]).vkey),
    ],
    "a key with a wrong id": [
      "key",
      () => edited("/ledger/vkey", (text) => text.replace(/\+[0-9a-f]{8}\+/, "+00000000+")),
    ],
    "the signed size": [
      "checkpoint",
      () => edited("/ledger/checkpoint", (text) => text.replace(/\n(\d+)\n/, "\n$10\n")),
    ],
    "the signed root": [
      "checkpoint",
      () => flipped("/ledger/checkpoint", read("/ledger/checkpoint").indexOf("=\n\n") - 3),
    ],
    "the signature": [
      "checkpoint",
      () => flipped("/ledger/checkpoint", read("/ledger/checkpoint").length - 20),
    ],
    "an entry's byte": ["leaf", () => flipped(files.entries, entryStart() + 20)],
    "two entries in each other's place": ["leaf", swappedEntries],
    "a bundle cut short": [
      "leaf",
      () => new Map([[files.entries, read(files.entries).subarray(0, entryStart() + 20)]]),
    ],
    "the row's hash in the tile": ["leaf", () => flipped(files.tile, ((row - 1) % 256) * 32)],
    "another hash in the tile": ["path", () => flipped(files.tile, (row % 256) * 32)],
    "a hash in an upper tile": ["path", () => flipped(files.upper, (Math.floor((row - 1) / 256) ^ 1) * 32)],
    "the disclosure": [
      "disclosure",
      () =>
        edited(files.disclosures, (text) => text.replace(new RegExp(`(\\{"i":${row},"d":"Wy)[IJ]`), "$1K")),
    ],
    "a published place": [
      "published",
      () => edited(files.list, (text) => text.replace(/("h3_cell":")\w/, "$19")),
    ],
    "a published time": [
      "published",
      () => edited(files.list, (text) => text.replace(/("observed_at":")\d/, "$13")),
    ],
    "an asset's public id": [
      "related",
      () => edited(files.list, (text) => text.replace(/("asset_public_id":"\w+)"/, '$1x"')),
    ],
    "a state that no review decided": [
      "related",
      () => edited(files.list, (text) => withState(text, "verified")),
    ],
    "a published hash": [
      "published",
      () => edited(files.list, (text) => text.replace(/("ledger_hash":")\w{4}/, "$1ffff")),
    ],
  };

  test.each(oneOfEach(Object.entries(cases), ([, [stop]]) => stop))("%s", async (_, [stop, tamper]) => {
    const result = await check(tamper());
    const at = STEPS.findIndex(({ name }) => name === stop);
    expect(result.states).toEqual([
      ...ALL_PASSED.slice(0, at),
      "failed",
      ...ALL_PASSED.slice(at + 1).map(() => "not checked"),
    ]);
    expect(result.verdict).toBe("failed");
    expect(result.says).toContain(STEPS[at]?.title);
    expect(result.says).toContain("did not pass");
    expect(result.text).toContain("✗ failed");
  });

  test("a row of one record in the list of another one", async () => {
    const names = readdirSync(join(site, "api/v1/observations"));
    const other = names.find((name) => name.endsWith(".json") && name !== `${record}.json`) ?? "";
    const text = read(files.list)
      .toString()
      .replaceAll(`"${record}"`, `"${other.slice(0, -".json".length)}"`);
    const replaced = new Map([[`/api/v1/observations/${other}`, Buffer.from(text)]]);
    const result = await check(replaced, verifyAddress(row, other.slice(0, -".json".length)));
    expect([result.stop, result.verdict]).toEqual(["related", "failed"]);
    expect(result.says).toContain("public_id");
  });

  test("a key that the reader has from elsewhere, and the site has another", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await page.goto(address);
    await outcomes(page);
    await page.getByText("Check against your own copy of the key").click();
    const ask = async (key: string) => {
      await page.getByLabel("Verification key").fill(key);
      await page.getByRole("button", { name: "Check" }).click();
      return outcomes(page);
    };
    const vkey = read("/ledger/vkey").toString();
    const other = await ask(testKey("x", vkey.split("+")[0]).vkey);
    expect(other.states).toEqual(["failed", ...ALL_PASSED.slice(1).map(() => "not checked")]);
    const same = await ask(vkey);
    expect(same.states).toEqual(ALL_PASSED);
    expect(same.says).toContain("the key that you entered");
    expect(page.url()).not.toContain("%2B"); // the key stays out of the address
  });

  /** The list with a state in its first observation that its rows do not give. */
  function withState(text: string, state: string): string {
    const list = JSON.parse(text);
    Object.assign(list.observations[0], {
      observation_verification_state: state,
      verif_state: state,
      physical_citation: true,
      counts_as_independent: list.observations[0].set_aside === null,
      changed_by: [],
    });
    return JSON.stringify(list);
  }

  function entryStart(): number {
    const bundle = read(files.entries);
    return joinEntries(splitEntries(bundle).slice(0, (row - 1) % 256)).length + 2;
  }

  function swappedEntries(): Replaced {
    const entries = splitEntries(read(files.entries));
    const [at, other] = [(row - 1) % 256, ((row - 1) % 256) ^ 1];
    const swapped = entries.map(
      (entry, place) => entries[place === at ? other : place === other ? at : place] ?? entry,
    );
    return new Map([[files.entries, joinEntries(swapped)]]);
  }
});

describe("what is out of reach is said to be so, and is no failure", () => {
  const missing: [path: () => string, stop: string][] = [
    [() => "/ledger/vkey", "key"],
    [() => "/ledger/checkpoint", "checkpoint"],
    [() => files.entries, "leaf"],
    [() => files.tile, "leaf"],
    [() => files.upper, "path"],
    [() => files.disclosures, "disclosure"],
    [() => files.list, "published"],
  ];
  test.each(oneOfEach(missing, ([, stop]) => stop))("a missing file: %s %s", async (path, stop) => {
    const result = await check(new Map([[path(), null]]));
    expect(result.stop).toBe(stop);
    expect(result.text).toContain("? could not check");
    expect(result.states).not.toContain("failed");
    const isProved = ["disclosure", "published"].includes(stop);
    expect(result.verdict).toBe(isProved ? "passed in part" : "could not check");
  });

  test("a row that has no disclosure", async () => {
    const without = edited(files.disclosures, (text) => text.replace(new RegExp(`\\{"i":${row},.*\n`), ""));
    const result = await check(without);
    expect(result.stop).toBe("disclosure");
    expect(result.text).toContain("What this row said was withdrawn and erased");
    expect(result.verdict).toBe("withdrawn");
  });

  test("a row that is not there yet, and what is no row", async () => {
    expect((await check(new Map(), verifyAddress(99_999_999, ""))).says).toContain(
      "does not contain row 99999999 yet",
    );
    expect((await check(new Map(), verifyAddress("ten", ""))).says).toContain("whole number");
  });

  test.each([
    [
      "a page served without https",
      'Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })',
      "https",
    ],
    [
      "an old browser",
      'SubtleCrypto.prototype.importKey = async () => { throw new DOMException("", "NotSupportedError") }',
      "Firefox 129",
    ],
  ])("%s", async (_, script, says) => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    await watched.page.addInitScript(script);
    await watched.page.goto(address);
    const result = await outcomes(watched.page);
    expect(result.verdict).toBe("could not check");
    expect(result.says).toContain(says);
  });

  test("a network that is down, and up again", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await page.goto("/verify/");
    await page.getByLabel("Ledger row").fill(String(row));
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Check" }).click();
    expect((await outcomes(page)).verdict).toBe("could not check");
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Check" }).click();
    await page.locator('#verdict[data-state="passed in part"]').waitFor();
  });
});

describe("for everybody", () => {
  test("by keyboard alone, with the steps and the verdict announced", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await page.goto("/verify/");
    await page.getByLabel("Ledger row").focus();
    await page.keyboard.type(String(row));
    await page.keyboard.press("Tab");
    await page.keyboard.type(record);
    await page.keyboard.press("Enter");
    expect((await outcomes(page)).states).toEqual(ALL_PASSED);
    expect(page.url()).toBe(server.url + address);
    for (let stop = 0; stop < 3; stop += 1) await page.keyboard.press("Tab"); // button, key, values of the first step
    await page.keyboard.press("Enter");
    expect(await step(page, "key").locator("details").getAttribute("open")).toBe("");
    expect(await page.locator("main").getByRole("status").innerText()).toContain("Passed");
    expect(await step(page, "path").locator('[aria-live="polite"]').innerText()).toContain(
      "Inclusion in the tree:",
    );
    await page.goBack();
    expect(new URL(page.url()).search).toBe("");
  });

  test("the row that another one names is a link to its own check, and back", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await page.goto(address);
    await outcomes(page);
    await page.locator("#row-text dt", { hasText: "record" }).locator("+ dd a").click();
    expect((await outcomes(page)).says).not.toContain(`Row ${row} `);
    expect(await page.locator("#row-text").innerText()).toContain(record); // a record's row holds its public id
  });

  test("without JavaScript the page says what to do", async () => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url, { javaScriptEnabled: false });
    await watched.page.goto(address);
    expect(await watched.page.locator("main").innerText()).toContain("needs JavaScript");
  });

  const looks = [
    { colorScheme: "light", viewport: { width: 1100, height: 800 } },
    { colorScheme: "dark", viewport: NARROW },
  ] as const;
  test.each(isTrial ? looks : looks.slice(1))(
    "axe finds nothing, $colorScheme, $viewport.width pixels wide",
    async (look) => {
      const tampered = [
        new Map(),
        edited(files.list, (text) => text.replace(/("h3_cell":")\w/, "$19")),
        new Map([[files.tile, null]]),
      ];
      for (const replaced of tampered) {
        await using server = await serveFiles(site, replaced);
        await using watched = await WatchedPage.open(browser, server.url, look);
        const { page } = watched;
        await page.goto(address);
        await outcomes(page);
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const { violations, passes } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
        expect(passes.map(({ id }) => id)).toContain("color-contrast");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(look.viewport.width);
      }
    },
  );

  test.each(looks)("nothing jumps while the steps come in, $viewport.width pixels wide", async (look) => {
    await using server = await serveFiles(site);
    await using watched = await WatchedPage.open(browser, server.url, look);
    const { page } = watched;
    await page.route("**/ledger/**", async (route) => {
      await new Promise((done) => setTimeout(done, 60)); // so that every step is painted by itself
      await route.continue();
    });
    await page.addInitScript(SHIFTS);
    await page.goto(address);
    await outcomes(page);
    await page.waitForTimeout(100);
    expect(await page.evaluate("shifts")).toBeLessThan(0.02); // 0.1 counts as good
  });
});

const STATES = `[...document.querySelectorAll("[data-step]")].map(({ dataset }) => dataset.state)`;

const SHIFTS = `window.shifts = 0;
new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shifts += value; })
  .observe({ type: "layout-shift", buffered: true });`;
