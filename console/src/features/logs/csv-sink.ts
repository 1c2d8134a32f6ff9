import { saveFile } from "../../ui/save-file.ts";

/** Where an export goes: straight to a file where the browser can write one, else into memory up to a bound. */
export type CsvSink = {
  write(part: Uint8Array<ArrayBuffer>): Promise<void>;
  /** What was written becomes the file. */
  close(): Promise<void>;
  /** Nothing of it stays. */
  abort(): Promise<void>;
};

/** The filter matches more than this browser should keep in memory. */
export class ExportTooLarge extends Error {}

export const csvType = "text/csv";
const memoryBytesMax = 200_000_000;

type SaveFilePicker = (options: { suggestedName: string; types: object[] }) => Promise<FileSystemFileHandle>;

/** Undefined when the person closed the browser's own dialog. */
export async function openSink(name: string): Promise<CsvSink | undefined> {
  const pick = (window as { showSaveFilePicker?: SaveFilePicker }).showSaveFilePicker;
  if (pick === undefined) return memorySink(name);
  try {
    const file = await pick({ suggestedName: name, types: [{ accept: { [csvType]: [".csv"] } }] });
    return await file.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

function memorySink(name: string): CsvSink {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    async write(part) {
      bytes += part.length;
      if (bytes > memoryBytesMax) throw new ExportTooLarge();
      parts.push(part);
    },
    async close() {
      saveFile(name, csvType, parts);
    },
    async abort() {
      parts = [];
    },
  };
}
