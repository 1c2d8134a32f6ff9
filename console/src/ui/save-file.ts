const readWithinMs = 1_000;

export const saveText = (name: string, text: string) => saveFile(name, "text/plain", [text]);

/** Starts the download of a file. */
export function saveFile(name: string, type: string, parts: BlobPart[]) {
  const address = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Delayed, because some browsers start reading after this returns.
  setTimeout(() => URL.revokeObjectURL(address), readWithinMs);
}
