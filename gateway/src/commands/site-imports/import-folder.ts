/** The private folder of uploaded files: one file, which no name of a client reaches. */
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  importFileBytesMax,
  importPartBytesMax,
} from "@tollgate/contract/commands/site-imports.ts";
import { refuse } from "../../http/refusal.ts";

const sqliteMagic = "SQLite format 3\0";
const ownerAlone = { folder: 0o700, file: 0o600 };

export interface UploadedFile {
  path: string;
  bytes: number;
  isSqlite: boolean;
}

export type ImportFolder = ReturnType<typeof importFolder>;

export function importFolder(folder: string) {
  const pathOf = (uuid: string): string => join(folder, uuid);
  const bytesOf = async (uuid: string): Promise<number> => {
    try {
      return (await stat(pathOf(uuid))).size;
    } catch (error) {
      if (findCode(error) === "ENOENT") return 0;
      throw error;
    }
  };
  /** A part is written whole or not at all, and one at a time. */
  let isReceiving = false;

  async function append(
    uuid: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await mkdir(folder, { recursive: true, mode: ownerAlone.folder });
    const file = await open(pathOf(uuid), "a", ownerAlone.file);
    try {
      if ((await file.stat()).size !== offset) throw refuse("site_import_part");
      let bytes = 0;
      try {
        for await (const chunk of body) {
          bytes += chunk.byteLength;
          if (bytes > importPartBytesMax)
            throw refuse("body_too_large", { headers: { Connection: "close" } });
          if (offset + bytes > importFileBytesMax) throw refuse("site_import_too_large");
          await file.appendFile(chunk);
        }
      } catch (error) {
        await file.truncate(offset);
        throw findCode(error) === "ENOSPC" ? refuse("site_import_no_room") : error;
      }
    } finally {
      await file.close();
    }
  }

  return {
    bytesOf,

    async receive(uuid: string, offset: number, body: AsyncIterable<Uint8Array>): Promise<void> {
      if (isReceiving) throw refuse("site_import_part");
      isReceiving = true;
      try {
        await append(uuid, offset, body);
      } finally {
        isReceiving = false;
      }
    },

    /** Undefined where nothing has arrived at this machine. */
    async find(uuid: string): Promise<UploadedFile | undefined> {
      const bytes = await bytesOf(uuid);
      if (bytes === 0) return undefined;
      const path = pathOf(uuid);
      const file = await open(path, "r");
      try {
        const { buffer } = await file.read(
          Buffer.alloc(sqliteMagic.length),
          0,
          sqliteMagic.length,
          0,
        );
        return { path, bytes, isSqlite: buffer.toString("latin1") === sqliteMagic };
      } finally {
        await file.close();
      }
    },

    /** Every file but this one. */
    async keepOnly(uuid: string | undefined): Promise<void> {
      const names = await readdir(folder).catch((error: unknown) => {
        if (findCode(error) === "ENOENT") return [];
        throw error;
      });
      for (const name of names) if (name !== uuid) await rm(join(folder, name), { force: true });
    },
  };
}

const findCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
