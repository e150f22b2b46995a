/** What was erased in the year, and where it may be found nowhere since. */
import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import { type Published, readEntity, readJson } from "../week/published.ts";
import type { Service } from "./service.ts";

const Preview = z.looseObject({ confirm: z.string() });
const Refused = z.looseObject({ names: z.array(z.looseObject({ name: z.string(), where: z.string() })) });
const TILES = join("ledger", "tile") + sep; // leaf hashes stay in the tree

export class Erased {
  /** Ids of records that left. */
  readonly records = new Set<string>();
  /** Ids of records that an undone batch alone had made: they leave, and may be spoken of. */
  readonly withdrawn = new Set<string>();
  readonly values: Buffer[] = [];
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** A record leaves, as its owner asks for. */
  async optOut({ site }: Published, publicId: string): Promise<void> {
    const { entity, assets } = readEntity(site, publicId);
    const command = ["opt-out", publicId, "--reason", "owner_request"];
    const { names } = await this.#service.json(command, Refused);
    // Nothing that counts has such a name, so the operator has to say that the owner means it, too.
    const also = names.flatMap(({ name, where }) => (where === "nowhere" ? ["--also", name] : []));
    await this.#confirmed([...command, ...also]);
    this.records.add(publicId);
    const ids = [publicId, ...assets.map((asset) => asset.public_id)];
    for (const value of [...ids, entity.name, entity.name.toUpperCase()])
      this.values.push(Buffer.from(value));
  }

  /** A newest observation of a record is erased. A record of one observation would leave with it. */
  async redact({ site }: Published, next: () => string): Promise<void> {
    let publicId = next();
    while (readEntity(site, publicId).stats.observation_count < 2) publicId = next();
    const Packet = z.looseObject({
      observations: z.looseObject({
        recent: z.array(z.looseObject({ id: z.int(), ledger_hash: z.string() })),
      }),
    });
    const { observations } = Packet.parse(readJson(site, `api/v1/entity/${publicId}/evidence.json`));
    const seals = readFileSync(join(site, "api/v1/ledger-checkpoints.json"), "utf8"); // name the last hash of a day
    const row = observations.recent.find(({ ledger_hash }) => !seals.includes(ledger_hash));
    if (row === undefined) throw new Error(`${publicId} has no observation to erase`);
    await this.#confirmed(["redact", String(row.id), "--reason", "privacy_request"]);
    this.values.push(Buffer.from(row.ledger_hash));
  }

  async #confirmed(command: readonly string[]): Promise<void> {
    const { confirm } = await this.#service.json(command, Preview);
    await this.#service.ok([...command, "--confirm", confirm]);
  }
}

/** Files below a folder that have one of the values. */
export function filesWith(folder: string, values: readonly Buffer[]): string[] {
  return filesBelow(folder)
    .map((file) => ({ path: relative(folder, file), bytes: readFileSync(file) }))
    .filter(({ path, bytes }) => !path.includes(TILES) && values.some((value) => bytes.includes(value)))
    .map(({ path }) => path);
}
