/** Where an export goes: straight to a file where the browser can write one, else into memory up to a bound. */
export type CsvSink = {
  write(part: Uint8Array<ArrayBuffer>): Promise<void>;
  /** What was written becomes the file. */
  close(): Promise<void>;
  /** Nothing of it stays. */
  abort(): Promise<void>;
};

/** The filter matches more than this browser should keep in memory. */
export class TooLarge extends Error {}

const memoryBytesMax = 200_000_000;

type PickFile = (options: { suggestedName: string; types: object[] }) => Promise<FileSystemFileHandle>;

/** Undefined when the person closed the browser's own dialog. */
export async function openSink(name: string): Promise<CsvSink | undefined> {
  const pick = (window as { showSaveFilePicker?: PickFile }).showSaveFilePicker;
  if (pick === undefined) return memorySink(name);
  try {
    const file = await pick({ suggestedName: name, types: [{ accept: { "text/csv": [".csv"] } }] });
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
      if (bytes > memoryBytesMax) throw new TooLarge();
      parts.push(part);
    },
    async close() {
      saveFile(name, parts);
    },
    async abort() {
      parts = [];
    },
  };
}

export function saveFile(name: string, parts: BlobPart[]) {
  const address = URL.createObjectURL(new Blob(parts, { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
