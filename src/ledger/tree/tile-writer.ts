import { joinEntries } from "../../proof/tlog/leaf.ts";
import { entriesPath, TILE_WIDTH } from "../../proof/tlog/tile.ts";
import { TileEdge, type WriteFile } from "./tile-edge.ts";

/** Writes a growing tree as tiles (C2SP tlog-tiles) and entry bundles, each full one as soon as it is. It holds the right edge only. */
export class TileWriter {
  readonly #write: WriteFile;
  readonly #edge: TileEdge;
  #entries: Buffer[] = [];

  /** `edge`: the partial tiles of the levels from 1 up, written already, where the tree has `size` leaves, a multiple of 256. */
  constructor(write: WriteFile, size = 0, edge: readonly Uint8Array[] = []) {
    this.#write = write;
    this.#edge = new TileEdge(write, size, edge);
  }

  get size(): number {
    return this.#edge.size;
  }

  push(entry: Buffer, leafHash: Buffer): void {
    this.#entries.push(entry);
    this.#edge.push(leafHash);
    if (this.#entries.length < TILE_WIDTH) return;
    this.#write(entriesPath(this.size / TILE_WIDTH - 1, TILE_WIDTH), joinEntries(this.#entries));
    this.#entries = [];
  }

  /** The partial tiles and the partial bundle of the tree as it stands: together with the full ones, all its files. */
  writePartial(): void {
    this.#edge.writePartial();
    if (this.#entries.length === 0) return;
    const index = Math.floor(this.size / TILE_WIDTH);
    this.#write(entriesPath(index, this.#entries.length), joinEntries(this.#entries));
  }

  root(): Buffer {
    return this.#edge.root();
  }
}
