import { saveFile } from "../../ui/save-file.ts";

/**
 * The destination of an export: a file if the browser can write one, otherwise memory up to a
 * limit.
 */
export type CsvSink = {
  write(part: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
  /** Discards what was written. */
  abort(): Promise<void>;
};

/** The export is too large for the browser's memory. */
export class ExportTooLarge extends Error {}

export const csvType = "text/csv";
const memoryBytesMax = 200_000_000;

type SaveFilePicker = (options: {
  suggestedName: string;
  types: object[];
}) => Promise<FileSystemFileHandle>;

/** Undefined when the user cancelled the browser's file dialog. */
export async function openSink(name: string): Promise<CsvSink | undefined> {
  const pick = (window as { showSaveFilePicker?: SaveFilePicker }).showSaveFilePicker;
  if (pick === undefined) return buildMemorySink(name);
  try {
    const file = await pick({ suggestedName: name, types: [{ accept: { [csvType]: [".csv"] } }] });
    return await file.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

function buildMemorySink(name: string): CsvSink {
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
