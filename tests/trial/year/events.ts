/** What happens in a year beside the daily lines. Each event is one evening, before the night. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Year } from "./run.ts";
import type { Service } from "./service.ts";
import { wrongLines } from "./town.ts";

/** Resolves to what is wrong. */
export type Event = (year: Year) => Promise<readonly string[]>;

const Confirm = z.looseObject({ confirm: z.string() });
const Taken = z.looseObject({ batch: z.string() });
const Batch = z.looseObject({ state: z.string() });
const DESK = ["--as", "review-desk", "--reason", "owner_request"];
const WRONG_FEED = 150; // lines: fewer than 100 are never outside the bounds

export const EVENTS = {
  async subscription({ subscriber }) {
    await subscriber.subscribe();
    return [];
  },

  async review({ service, records }) {
    const record = records.next();
    await service.ok(["review", "flag", record, ...DESK]);
    await service.ok(["review", "unflag", record, ...DESK]);
    await service.ok(["review", "classify", records.next(), "5610", ...DESK]);
    return [];
  },

  async optOut({ erased, published, records }) {
    await erased.optOut(published(), records.next());
    return [];
  },

  async redaction({ erased, published, records }) {
    await erased.redact(published(), records.next);
    return [];
  },

  async keys({ service }) {
    await service.stopServer();
    for (const key of [[], ["--manifest"], ["--state"]]) await service.ok(["key", "rotate", ...key, "--yes"]);
    if (service.hasBackups) await service.backup();
    await service.serve();
    return [];
  },

  /** The brake holds it back; the operator undoes it after the night. */
  async wrongFeed(year) {
    const { service } = year;
    const batch = await ingest(year, "Wrongfeed", WRONG_FEED);
    year.afterNight(async () => {
      const { state } = await service.json(["batch", "show", batch], Batch);
      await service.ok(["batch", "undo", batch]);
      return state === "held_back" ? [] : [`a feed of ${WRONG_FEED} unknown names was ${state}`];
    });
    year.erased.values.push(Buffer.from("Wrongfeed"));
    return [];
  },

  /** A small one passes, and is undone when it is public. */
  async wrongRows(year) {
    const { service } = year;
    const batch = await ingest(year, "Mistaken", 12);
    year.afterNight(async () => {
      for (const [id, { name }] of year.published().records)
        if (name.startsWith("Mistaken ")) year.erased.withdrawn.add(id);
      const undo = ["batch", "undo", batch];
      const { confirm } = await service.json(undo, Confirm);
      const Undone = z.looseObject({ rows_that_stop_counting: z.int() });
      const { rows_that_stop_counting: rows } = await service.json([...undo, "--confirm", confirm], Undone);
      if (rows === 0) return ["no row of a batch that was undone had counted"];
      return year.erased.withdrawn.size > 0 ? [] : ["no record of a batch that was undone was published"];
    });
    return [];
  },

  /** The night ends with a reason, and what was published stays; with room again it succeeds. */
  async fullDisk({ service, night, beforeNight }) {
    const { disk } = service;
    if (disk === undefined) return [];
    beforeNight(async () => {
      const before = service.releases();
      disk.grow(service.usedMb + 1);
      const { code, stderr } = await night();
      disk.grow(service.diskMb);
      return [
        ...(code === 1 && /no space|ENOSPC|disk|full/i.test(stderr)
          ? []
          : [`a night on a full disk ended with ${code}: ${stderr}`]),
        ...(/^ {4}at /m.test(stderr) ? ["a full disk printed a stack trace"] : []),
        ...(service.releases() === before ? [] : ["a night on a full disk changed what is published"]),
      ];
    });
    return [];
  },

  /** All that is left is the backups and what readers copied. */
  async lostMachine({ service, published }) {
    if (!service.hasBackups) return [];
    await service.backup(); // its timer runs every five minutes
    const { checkpoint } = published();
    const known = service.write("checkpoint", checkpoint);
    await service.stopServer();
    rmSync(service.home.root, { recursive: true });
    service.makeFolders();
    await service.ok([
      "restore",
      ...(await fetched(service)),
      "--into",
      service.home.root,
      "--published",
      known,
    ]);
    await service.restoreState();
    await service.ok(["build"]);
    await service.serve();
    return published().checkpoint === checkpoint ? [] : ["the restored log has another head"];
  },

  /** An older state takes the place of a damaged one: what was sent since is sent again, under the same ids. */
  async restoredState({ service }) {
    if (!service.hasBackups) return [];
    const restored = join(service.own("copies"), "restored");
    await service.ok(["restore", ...(await fetched(service)), "--into", restored]);
    await service.stopServer();
    const { state, stateKey } = service.home;
    for (const ending of ["", "-wal", "-shm"]) rmSync(state + ending, { force: true });
    for (const path of [state, stateKey])
      copyFileSync(join(restored, path.slice(service.home.root.length)), path);
    rmSync(restored, { recursive: true });
    await service.mendOwners();
    await service.serve();
    return existsSync(state) ? [] : ["there is no state"];
  },
} satisfies Record<string, Event>;

export type EventName = keyof typeof EVENTS;

async function ingest(year: Year, name: string, count: number): Promise<string> {
  const at = new Date(year.service.clock.now() - 3_600_000).toISOString();
  const lines = wrongLines(name, count, at);
  const { batch } = await year.service.json(year.intake(name, lines), Taken);
  return batch;
}

/** The newest backup and its keys, as arguments of `presence restore`. */
async function fetched(service: Service): Promise<string[]> {
  const folder = join(service.own("copies"), "fetched");
  rmSync(folder, { recursive: true, force: true });
  await service.backup("fetch", folder);
  return [join(folder, "home"), "--keys", join(folder, "keys")];
}
