import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { syncFileSystem, syncFolder } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { acquireLock, type Lock } from "../../ledger/database/lock.ts";
import { ReleaseManifest } from "../../proof/audit/release-manifest.ts";

/** What the copy that is served says of itself. */
export interface HeldCopy {
  readonly origin: string;
  readonly treeSize: number;
  readonly asOf: string;
  readonly manifestSha256: string;
  readonly checkpointSha256: string | undefined; // of the newest checkpoint
  readonly paths: readonly string[];
}

const Pinned = z.object({ vkey: z.string() });
const OWN = new Set(["copies", "current", "current.next", "mirror.json", "mirror.json.tmp", ".next", "lock"]);
const NAME_LENGTH = 16;

/** Owns the folder of a mirror, for one process at a time. */
export class MirrorFolder implements Disposable {
  readonly #root: string;
  readonly #lock: Lock;

  /** Throws OperatorError for a folder with anything else in it, and while another process mirrors into it. */
  constructor(root: string) {
    this.#root = root;
    mkdirSync(join(root, "copies"), { recursive: true });
    const foreign = readdirSync(root).find((name) => !OWN.has(name) && !name.startsWith("lock-"));
    if (foreign !== undefined)
      throw new OperatorError(
        `${root}: it holds ${foreign}, which is no part of a mirror: use a folder of its own`,
      );
    this.#lock = acquireLock(join(root, "lock"), `mirroring into ${root}`);
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }

  /** The copy in the making. */
  get staging(): string {
    return join(this.#root, ".next");
  }

  /** The copy that is served; there may be none yet. */
  get current(): string {
    return join(this.#root, "current");
  }

  /** The key that the first run trusted. */
  trustedKey(): string | undefined {
    const path = join(this.#root, "mirror.json");
    return existsSync(path) ? Pinned.parse(JSON.parse(readFileSync(path, "utf8"))).vkey : undefined;
  }

  trust(vkey: string): void {
    if (vkey === this.trustedKey()) return;
    replaceFile(join(this.#root, "mirror.json"), `${JSON.stringify({ vkey })}\n`, 0o644);
  }

  held(): HeldCopy | undefined {
    const path = join(this.current, "manifest.json");
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, "utf8");
    const { files, inputs } = ReleaseManifest.parse(JSON.parse(text));
    return {
      origin: inputs.origin,
      treeSize: inputs.tree_size,
      asOf: inputs.as_of,
      manifestSha256: sha256Hex(text),
      checkpointSha256: files["ledger/checkpoint"],
      paths: Object.keys(files),
    };
  }

  /** Syncs the copy in the making and serves it: readers see the old copy or the new one. */
  publish(manifestSha256: string): void {
    const name = manifestSha256.slice(0, NAME_LENGTH);
    const place = join(this.#root, "copies", name);
    syncFileSystem(this.staging);
    rmSync(place, { recursive: true, force: true });
    renameSync(this.staging, place);
    syncFolder(join(this.#root, "copies"));
    const pointer = `${this.current}.next`;
    rmSync(pointer, { force: true });
    symlinkSync(join("copies", name), pointer);
    renameSync(pointer, this.current);
    syncFolder(this.#root);
  }

  /** Deletes every earlier copy: it shows what was withdrawn since. */
  tidy(): void {
    const served = existsSync(this.current) ? basename(readlinkSync(this.current)) : undefined;
    for (const name of readdirSync(join(this.#root, "copies")))
      if (name !== served) rmSync(join(this.#root, "copies", name), { recursive: true, force: true });
    rmSync(this.staging, { recursive: true, force: true });
  }
}
